/* SPDX-License-Identifier: ISC */
/*
 * Mouse, pen and fingers on the frames: pointing shows, a click or tap zooms, a
 * long press opens the menu, dragging moves, two fingers zoom. Up and down
 * with a finger is left to the browser, which scrolls.
 */
const PRESS_MS = 500, DRAG_PX = 6;

function menuUnder(app, i, e) {
	const { x, y } = placeOf(app, e);

	showTip(app.v, -1);
	app.select(i);
	openMenu(app, i, x, y);
}

function hover(app, e) {
	const { v } = app, i = app.popup ? -1 : frameUnder(app, e);
	const { x, y } = placeOf(app, e);

	showTip(v, i, x, y);
	showDetails(v, i < 0 ? v.current : i);
	light(app, i < v.first ? -1 : v.t.name[i], i);
}

/* Two fingers: the place between them stays, their distance is the scale. */
function pinch(app, before, after) {
	const { v } = app, left = app.root.getBoundingClientRect().left + PAD;
	const span = ([a, b]) => Math.max(20, Math.abs(a.x - b.x));
	const middle = ([a, b]) => ((a.x + b.x) / 2 - left) / v.inner;

	app.scale(span(before) / span(after), middle(after));
	app.pan(middle(before) - middle(after));
}

function drag(app, dx, dy) {
	const { v } = app;

	if (v.hi - v.lo < v.full * (1 - 1e-9))
		app.pan(-dx / v.inner);
	if (dy)
		window.scrollBy(0, -dy);
}

function listenPointer(app) {
	const { frames } = app.v, down = new Map();
	let press, handled = false; /* handled: no click follows */

	const forget = (e) => {
		clearTimeout(press);
		down.delete(e.pointerId);
	};
	frames.addEventListener('pointerdown', (e) => {
		if (e.button !== 0)
			return;
		handled = down.size > 0;
		down.set(e.pointerId, { x: e.clientX, y: e.clientY,
			far: down.size > 0 });
		clearTimeout(press);
		if (e.pointerType !== 'mouse' && down.size === 1)
			press = setTimeout(() => {
				const i = frameUnder(app, e);

				handled = true;
				if (i >= 0)
					menuUnder(app, i, e);
			}, PRESS_MS);
	});
	frames.addEventListener('pointermove', (e) => {
		const from = down.get(e.pointerId), to = { x: e.clientX,
			y: e.clientY, far: true };

		if (!from) {
			if (e.pointerType === 'mouse')
				hover(app, e);
			return;
		}
		if (!from.far && Math.hypot(to.x - from.x, to.y - from.y) < DRAG_PX)
			return;
		clearTimeout(press);
		handled = true;
		showTip(app.v, -1);
		const before = [...down.values()];
		down.set(e.pointerId, to);
		if (!from.far) { /* also beyond the frames */
			frames.setPointerCapture(e.pointerId);
			return;
		}
		if (down.size === 2)
			pinch(app, before, [...down.values()]);
		else if (down.size === 1)
			drag(app, to.x - from.x,
				e.pointerType === 'mouse' ? to.y - from.y : 0);
	});
	for (const end of ['pointerup', 'pointercancel'])
		window.addEventListener(end, forget);
	frames.addEventListener('pointerleave', () => {
		showTip(app.v, -1);
		showDetails(app.v, app.v.current);
		light(app, -1, -1);
	});
	frames.addEventListener('click', (e) => {
		const i = frameUnder(app, e);

		showTip(app.v, -1);
		if (handled)
			return;
		closePopup(app);
		if (i >= 0)
			app.zoom(i);
	});
}

/*
 * What is lit while the mouse is on a frame or on a row of the table: the
 * frame, all others of its name, and its row.
 */
const LIT_MAX = 2000, LIT_PX = 1;

/* The outlines of the frames in sight that have a name, as one path. */
function outlines(v, id) {
	const { t } = v, parts = [];

	eachVisible(t, v.lo, v.hi, v.inner, v.rows, (i, w) => {
		if (t.name[i] !== id || w < LIT_PX || i < v.first ||
			parts.length === LIT_MAX)
			return;
		const box = extentOf(v, i), h = v.m.frameHeight - 2;

		parts.push('M' + px(box.x + 0.5) + ' ' +
			px(rowY(v, t.depth[i]) + 0.5) + 'h' + px(Math.max(0.5,
			box.w - 1.5)) + 'v' + h + 'H' + px(box.x + 0.5) + 'z');
	});
	return parts.join('');
}

function drawLit(v) {
	const { lit, t } = v;

	v.light.replaceChildren();
	if (lit.id < 0)
		return;
	v.light.append(svg('path', { class: 'same', d: outlines(v, lit.id) }));
	if (lit.node < 0 || lit.node >= t.n)
		return;
	const { x, w } = extentOf(v, lit.node);
	v.light.append(svg('rect', { class: 'under', x: px(x),
		y: px(rowY(v, t.depth[lit.node])), width: px(Math.max(1, w - 0.5)),
		height: v.m.frameHeight - 1 }));
}

/* id: the number of a name, or -1 for nothing; node: the frame, or -1. */
function light(app, id, node) {
	const { v } = app;

	if (id === v.lit.id && node === v.lit.node)
		return;
	v.lit = { id, node };
	drawLit(v);
	for (const row of app.tableBox.querySelectorAll('tr[data-id]'))
		row.classList.toggle('lit', +row.dataset.id === id);
}

/* Rows light their frames, under the mouse as for the keyboard. */
function listenRows(app) {
	const on = (e) => {
		const row = e.target.closest('tr[data-id]');

		light(app, row ? +row.dataset.id : -1, -1);
	};

	for (const type of ['mouseover', 'focusin'])
		app.tableBox.addEventListener(type, on);
	for (const type of ['mouseleave', 'focusout'])
		app.tableBox.addEventListener(type, () => light(app, -1, -1));
}

/*
 * The axis of a chart: who drags along it sees how long that is, and zooms to
 * it or, with Shift held, leaves a ruler there.
 */
const AXIS_HEIGHT = 18;

/* Where on the scale an event points to, rounded, if it is on the axis. */
function placeOnAxis(app, e, anywhere) {
	const { v } = app, place = placeOf(app, e);
	const x = place.x - PAD, y = place.y - axisY(v);

	if (!v.t.start || (!anywhere && (x < 0 || x > v.inner || y < 0 ||
		y > AXIS_HEIGHT)))
		return null;
	const share = Math.min(1, Math.max(0, x / v.inner)), span = v.hi - v.lo;
	const step = 10 ** Math.floor(Math.log10(span / v.inner));
	return Math.round((v.lo + share * span) / step) * step;
}

function axisY(v) {
	return v.top + rowCount(v.t) * v.m.frameHeight;
}

/* Two places on the scale as the address has them: in units of the axis. */
function rulerText(m, a, b) {
	const unit = 10 ** m.decimals;

	return [Math.min(a, b), Math.max(a, b)].map((x) =>
		+(x / unit).toPrecision(12)).join('-');
}

function parseRuler(m, text) {
	const ends = (text || '').split('-').map((x) =>
		x === '' ? NaN : x * 10 ** m.decimals);

	return ends.length === 2 && ends[0] < ends[1] ? ends : null;
}

/* From the rows down to the axis, with its length. */
function drawRuler(app, ends) {
	const { v } = app, { m } = v;

	document.getElementById('ruler')?.remove();
	if (!ends || !v.t.start)
		return;
	const at = (x) => PAD + Math.min(1, Math.max(0,
		(x - v.lo) / (v.hi - v.lo))) * v.inner;
	const [from, to] = ends.map(at), unit = 10 ** m.decimals;
	const text = formatTick((ends[1] - ends[0]) / unit, m.countname);
	const middle = Math.min(Math.max((from + to) / 2, PAD + 30),
		PAD + v.inner - 30);

	app.sheet.append(svg('g', { id: 'ruler' }, [
		svg('title', {}, [text + ', from ' + ends.map((x) =>
			formatTick(x / unit, m.countname)).join(' to ')]),
		svg('rect', { x: px(from), y: px(v.top), width: px(to - from),
			height: px(axisY(v) - v.top + AXIS_HEIGHT) }),
		svg('text', { x: px(middle), y: px(axisY(v) + 13),
			'text-anchor': 'middle' }, [text])]));
}

function listenAxis(app) {
	const { root } = app;
	let from = null;

	root.addEventListener('pointerdown', (e) => {
		const at = e.button === 0 ? placeOnAxis(app, e) : null;

		if (at === null || e.target.closest('foreignObject'))
			return;
		from = { at, id: e.pointerId };
		e.preventDefault();
		e.stopPropagation();
	}, true);
	window.addEventListener('pointermove', (e) => {
		if (from && e.pointerId === from.id)
			drawRuler(app, [from.at, placeOnAxis(app, e, true)]
				.sort((a, b) => a - b));
	});
	for (const end of ['pointerup', 'pointercancel'])
		window.addEventListener(end, (e) => {
			if (!from || e.pointerId !== from.id)
				return;
			const a = from.at, b = placeOnAxis(app, e, true);
			const far = Math.abs(a - b) * app.v.inner >=
				DRAG_PX * (app.v.hi - app.v.lo);

			from = null;
			if (end === 'pointercancel' || !far)
				drawRuler(app, parseRuler(app.v.m, app.s.ruler));
			else if (e.shiftKey)
				app.set({ ruler: rulerText(app.v.m, a, b) });
			else
				app.setWindow(Math.min(a, b), Math.abs(a - b));
		});
}
