/* SPDX-License-Identifier: ISC */
/* Keyboard, mouse and wheel. */

/* The neighbour of a node on its row: a sibling, or the next one beyond. */
function sideways(t, node, step) {
	for (let i = step > 0 ? t.end[node] : node - 1; i > 0 && i < t.n; i += step)
		if (t.depth[i] === t.depth[node])
			return i;
	return node;
}

function walk(app, key) {
	const { v } = app, t = v.t;
	const at = v.current < 0 ? v.zoomed : v.current;
	const side = (key === 'ArrowDown') === v.inverted ? 1 : -1;

	if (key === 'Home')
		return 0;
	if (key === 'ArrowLeft' || key === 'ArrowRight')
		return sideways(t, at, key === 'ArrowLeft' ? -1 : 1);
	if (side < 0 && v.current < 0)
		return at;
	if (t.depth[at] * side < 0)
		return t.parent[at];
	return childrenOf(t, at).filter((c) => t.depth[c] * side > 0)
		.sort((a, b) => t.width[b] - t.width[a])[0] ?? at; /* the widest */
}

function onKey(app, e) {
	const { v } = app, i = v.current;
	const { localName } = e.target;
	const typing = localName === 'input';
	const control = ['input', 'select', 'button', 'a'].includes(localName);

	if (e.altKey || ((e.ctrlKey || e.metaKey) && e.key !== 'f'))
		return;
	if (localName === 'select' && e.key !== 'Escape')
		return; /* letters choose */
	if (app.popup && e.key === 'Escape') {
		closePopup(app);
	} else if (typing) {
		if (e.key === 'Enter')
			app.nextMatch(e.shiftKey ? -1 : 1);
		else if (e.key === 'Escape')
			v.frames.focus({ preventScroll: true });
		else
			return;
	} else if (/^(Arrow|Home$)/.test(e.key) && !control) {
		app.select(walk(app, e.key));
	} else if (e.key === 'Enter' && !control) {
		app.zoom(Math.max(i, 0));
	} else if (!keyCommand(app, e, i)) {
		return;
	}
	e.preventDefault();
}

/* Keys that stand for a control or a command of the menu. */
function keyCommand(app, e, i) {
	const { v } = app, some = i > 0, name = v.m.names[v.t.name[i]];
	const menu = () => i >= 0 && menuAt(app, i);
	const commands = {
		Backspace: () => app.back(), Escape: () => app.reset(),
		'/': () => app.ui.search.focus(), f: () => e.ctrlKey || e.metaKey ?
			app.ui.search.focus() : some && app.edit({ focus: name }),
		s: () => some && app.edit({ sandwich: name }),
		n: () => app.nextMatch(1), N: () => app.nextMatch(-1),
		'+': () => app.scale(0.7, 0.5), '-': () => app.scale(1 / 0.7, 0.5),
		h: () => some && app.edit({ hide: name }), H: () => some && app.cut(i),
		u: () => app.undo(), c: () => i >= 0 && copyText(name),
		i: () => app.set({ inverted: !v.inverted }),
		r: () => app.setView({ reverse: !v.byLeaf }),
		t: () => app.toggleTable(),
		e: () => {
			app.set({ runs: app.s.runs ? null : 'apart' });
			app.showStart();
		},
		m: menu, '?': () => openHelp(app), ContextMenu: menu
	};

	if (!Object.hasOwn(commands, e.key))
		return false;
	commands[e.key]();
	return true;
}

function menuAt(app, i) {
	const { x, w } = extentOf(app.v, i);

	openMenu(app, i, x + Math.min(w / 2, 40), rowY(app.v,
		app.v.t.depth[i]) + app.v.m.frameHeight);
}

/* The frame under the mouse, by arithmetic. */
function frameUnder(app, e) {
	const { v } = app, place = placeOf(app, e), x = place.x - PAD;
	const depth = depthAt(v, place.y);

	if (x < 0 || x >= v.inner || depth < v.t.minDepth || depth > v.t.maxDepth)
		return -1;
	return nodeAt(v.t, depth, v.lo + x / v.inner * (v.hi - v.lo));
}

function onWheel(app, e) {
	const { v } = app;
	const lines = e.deltaMode === 1 ? 16 : 1;
	const at = Math.min(1, Math.max(0, (placeOf(app, e).x - PAD) / v.inner));

	if (e.ctrlKey || e.metaKey || placeOnAxis(app, e) !== null)
		app.scale(Math.exp(e.deltaY * lines / 400), at);
	else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
		app.pan((e.deltaX || e.deltaY) * lines / v.inner);
	else
		return;
	e.preventDefault();
}

/* Tab shows where the arrow keys will start. */
function onFocus(app) {
	const { v } = app;

	if (v.current >= 0 || !v.frames.matches(':focus-visible'))
		return;
	v.current = v.zoomed;
	drawFocus(v);
	showDetails(v, v.current);
}

function listen(app) {
	const { frames } = app.v, root = app.root;

	listenAxis(app);
	listenPointer(app);
	listenRows(app);
	frames.addEventListener('contextmenu', (e) => {
		const i = frameUnder(app, e);

		if (i < 0)
			return;
		e.preventDefault();
		menuUnder(app, i, e);
	});
	frames.addEventListener('focus', () => onFocus(app));
	root.addEventListener('wheel', (e) => {
		showTip(app.v, -1);
		if (!e.target.closest('foreignObject'))
			onWheel(app, e);
	}, { passive: false });
	root.addEventListener('pointerdown', (e) => {
		if (app.popup && !app.popup.contains(e.target) &&
			e.target !== app.ui.view)
			closePopup(app);
	});
	document.addEventListener('keydown', (e) => onKey(app, e));
	window.addEventListener('resize', () => app.later());
	window.addEventListener('scroll', () => app.scrolled());
	window.addEventListener('beforeprint', () => app.print(true));
	window.addEventListener('afterprint', () => app.print(false));
	window.addEventListener('hashchange', () => app.fromAddress());
}
