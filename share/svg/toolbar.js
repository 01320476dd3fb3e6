/* SPDX-License-Identifier: ISC */
/* The controls above the picture. Each only changes the state. */

function button(label, title, click, attrs) {
	return html('button', { type: 'button', title, 'aria-label': title,
		click, ...attrs }, [label]);
}

/* On a phone, what is behind one button. */
const EXTRA = { class: 'extra' };

/* A value of null cannot be chosen. */
function choice(label, values, change) {
	return html('select', { 'aria-label': label, title: label,
		change: (e) => change(e.target.value) },
	values.map(([value, text]) => html('option', { value,
		disabled: value === null }, [text])));
}

/* Choices of a text of the state, "" for none: s[key], shown in ui[key]. */
const CHOICES = ['order', 'idle', 'root', 'of', 'widths', 'theme'];

function stateChoice(app, key, label, values, set) {
	return choice(label, values, (x) => app[set]({ [key]: x || null }));
}

function searchControls(app) {
	const ui = app.ui;

	ui.search = html('input', { type: 'search', placeholder: 'Search  /',
		'aria-label': 'Search functions', spellcheck: 'false',
		autocomplete: 'off',
		input: () => app.set({ q: ui.search.value }, true) });
	ui.regex = button('.*', 'Regular expression', () =>
		app.set({ regex: !app.s.regex }), EXTRA);
	ui.ignoreCase = button('Aa', 'Match case', () =>
		app.set({ ignoreCase: !app.s.ignoreCase }), EXTRA);
	ui.found = html('output', { class: 'found', 'aria-live': 'polite' });
	return [ui.search, ui.regex, ui.ignoreCase,
		button('‹', 'Previous match', () => app.nextMatch(-1), EXTRA),
		button('›', 'Next match', () => app.nextMatch(1), EXTRA), ui.found];
}

/* The first is how the tree in the file is ordered. */
function orders(m) {
	const name = ['name', 'by name'], width = ['width', 'by width'];

	if (m.isChart)
		return [['', 'as recorded'], name, width];
	return [['', 'by name'], width].concat(m.base.place ?
		[['recorded', 'as recorded']] : []);
}

/* The menu's controls, of which `ui` has those that show a state. */
function viewControls(app) {
	const ui = app.ui, { m } = app.v, found = rootNames(m);

	ui.inverted = choice('Direction', [['flame', 'flame: root below'],
		['icicle', 'icicle: root on top']], (x) => app.set({ inverted: x === 'icicle' }));
	ui.reverse = choice('Merge from', [['root', 'the root'],
		['leaf', 'the leaf']], (x) => app.setView({ reverse: x === 'leaf' }));
	ui.order = stateChoice(app, 'order', 'Order', orders(m), 'setView');
	if (!m.isChart && m.counts === 1 && !m.reverse && knowsIdle(m))
		ui.idle = stateChoice(app, 'idle', 'Idle CPUs', [['', m.wideIdle ? 'to scale' : 'narrow'],
			m.wideIdle ? ['narrow', 'narrow'] : ['wide', 'to scale']], 'setView');
	if (found)
		ui.root = stateChoice(app, 'root', 'Root', [['', 'all'],
			...found.roots.map((r) => [r, shorten(r, 60)]),
			...found.more ? [[null, `… and ${found.more} narrower`]] : []],
		'setView');
	ui.of = stateChoice(app, 'of', 'Percentages', [['', 'of all'],
		['shown', 'of what is shown']], 'set');
	if (m.counts === 2) {
		ui.widths = stateChoice(app, 'widths', 'Widths', [['', 'both counts'],
			['before', 'before'], ['after', 'after']], 'setView');
		ui.norm = button('Normalise', 'Compare shares, as if both totals ' +
			'were equal', () => app.setView({ norm: !app.v.normalized }));
	}
	ui.theme = stateChoice(app, 'theme', 'Colours of the page',
		[['', 'as the system'], ['light', 'light'], ['dark', 'dark']], 'set');
	return ['inverted', 'reverse', 'order', 'idle', 'root', 'of', 'widths', 'norm', 'theme'].map((key) => ui[key]).filter((e) => e);
}

/* Opens the menu below its button, or closes it. */
function toggleMenu(app) {
	const { ui } = app, open = app.popup?.contains(ui.menu);
	const box = ui.view.getBoundingClientRect();

	closePopup(app);
	if (open)
		return;
	showPopup(app, ui.menu, Math.max(4, Math.min(box.left, app.v.width - 340)),
		box.bottom + window.scrollY + 4);
	ui.inverted.focus();
}

function makeToolbar(app) {
	const ui = app.ui;

	ui.menu = html('div', { class: 'ui menu view', role: 'dialog',
		'aria-label': 'View' }, viewControls(app).map((e) =>
		html('label', {}, [e.getAttribute('aria-label').replace(/,.*/, ''), e])));
	ui.view = button('View ▾', 'View', () => toggleMenu(app),
		{ 'aria-haspopup': 'dialog' });
	if (hasCpus(app.v.m))
		ui.cpus = button('By CPU', 'A tower for each CPU', () => app.setView({
			cpus: isTogether(app.v.m, app.s) ? 'apart' : 'together' }), EXTRA);
	ui.table = button('Table', 'Table of functions', () =>
		app.toggleTable(), EXTRA);
	const more = button('…', 'More controls', () => {
		more.setAttribute('aria-expanded', more.parentNode.classList.toggle('open'));
		app.layout();
	}, { class: 'more', 'aria-expanded': 'false' });
	ui.save = choice('Save what is shown', [['', 'Save …'],
		['svg', 'as SVG'], ['png', 'as PNG']], (x) => {
		ui.save.value = '';
		savePicture(app, x);
	});
	ui.save.classList.add('extra');
	ui.chips = html('div', { class: 'chips' });
	app.v.details = html('div', { class: 'details', role: 'status' });
	return html('div', { class: 'ui', id: 'toolbar' }, [
		html('div', { class: 'bar', role: 'toolbar',
			'aria-label': 'Flame graph' }, [
			button('Reset', 'Show all', () => app.reset()),
			button('Back', 'One step back', () => app.back(), EXTRA),
			...searchControls(app), ui.view, ...ui.cpus ? [ui.cpus] : [], ui.table, ui.save,
			button('?', 'Help', () => openHelp(app), EXTRA), more, makeMap(app)]),
		ui.chips, app.v.details]);
}

function chip(text, title, click) {
	return html('span', { class: 'chip' }, [html('bdi', {}, [text]),
		button('×', title, click)]);
}

/* What is hidden or focused, each with a way back. */
function showChips(app) {
	const { edits } = app.s, list = [];
	const without = (drop) => () =>
		app.setView({ edits: edits.filter((e) => !drop(e)) });

	for (const edit of edits)
		if (edit.hide !== undefined || edit.cut)
			list.push(chip((edit.cut ? 'without the stack of ' :
				'without ') + shorten(edit.hide ??
				edit.cut[edit.cut.length - 1]?.name ?? '', NAME_SHOWN),
			'Show it again', without((e) => e === edit)));
	const focus = focusOf(app.s), middle = sandwichOf(app.s);
	if (focus !== null || middle !== null)
		list.push(chip((!app.v.m.base.name.includes(idOf(app.v.m,
			focus ?? middle)) ? 'not here: ' :
			focus !== null ? 'only ' : 'callers and callees of ') +
			shorten(focus ?? middle, NAME_SHOWN), 'Show all functions',
		without(chooses)));
	if (meanwhileOf(app.model, app.s) >= 0)
		list.push(chip('the other CPUs while one is in ' + shorten(app.s.meanwhile, NAME_SHOWN),
			'Show all CPUs', () => app.setView({ meanwhile: null })));
	list.push(...timeChips(app));
	const movers = app.v.m.counts === 2 && !app.v.t.stacks ? moversOf(app.v) : [];
	list.push(...movers.map(([name, change]) => button(shorten(name, 28) + ' ' +
		sizeText(app.v, change), 'Self weight changed much: search ' + shorten(name,
		NAME_SHOWN), () => app.set({ q: name, regex: false }), { class: 'small' })));
	app.ui.chips.replaceChildren(...list);
}

/* The controls say what the state is. */
function updateToolbar(app) {
	const { ui, s, v } = app;

	if (document.activeElement !== ui.search)
		ui.search.value = s.q;
	ui.regex.setAttribute('aria-pressed', s.regex);
	ui.ignoreCase.setAttribute('aria-pressed', !s.ignoreCase);
	ui.cpus?.setAttribute('aria-pressed', !isTogether(v.m, s));
	ui.table.setAttribute('aria-pressed', !!s.table);
	ui.inverted.value = v.inverted ? 'icicle' : 'flame';
	ui.reverse.value = v.byLeaf ? 'leaf' : 'root';
	ui.norm?.setAttribute('aria-pressed', v.normalized);
	for (const key of CHOICES)
		if (ui[key])
			ui[key].value = s[key] || '';
	showChips(app);
}

/* The menu of a frame, and the page of help. */
function menuItems(app, i) {
	const { v } = app, name = v.m.names[v.t.name[i]];
	const href = linkOf(v.m.link, name);
	const items = [['Zoom', () => app.zoom(i)]];

	if (i > 0)
		items.push(['Only this function', () =>
			app.edit({ focus: name })],
		['Callers and callees', () => app.edit({ sandwich: name })],
		['Hide this function', () => app.edit({ hide: name })]);
	if (i > 0 && knowsOthers(app.model))
		items.push(['The other CPUs meanwhile', () => app.meanwhile(name)]);
	if (i > 0 && app.canCut())
		items.push(['Hide this stack', () => app.cut(i)]);
	items.push(['Copy name', () => copyText(name)],
		['Copy stack', () => copyText(app.stack(i).join(';'))],
		...location.protocol === 'blob:' ? [] : [['Copy link', () =>
			copyText(location.href.split('#')[0] + '#' + stateText(app.s))]]);
	if (href)
		items.push(['Open source', () => window.open(href, '_blank',
			'noopener')]);
	return items;
}

function openMenu(app, i, x, y) {
	const { v } = app;

	closePopup(app);
	const list = html('div', { class: 'ui menu', role: 'menu' },
		menuItems(app, i).map(([label, act]) => html('button', {
			type: 'button', role: 'menuitem', click: () => {
				closePopup(app);
				act();
			} }, [label])));
	list.addEventListener('keydown', (e) => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
		const all = [...list.children];

		if (!step)
			return;
		all[(all.indexOf(document.activeElement) + step +
			all.length) % all.length].focus();
		e.preventDefault();
	});
	showPopup(app, list, Math.min(x, v.width - 190), y);
	list.firstChild.focus();
}

const HELP = [
	['Click, Enter', 'zoom to a frame'],
	['Right click, M', 'menu of a frame'],
	['Arrow keys, Home', 'walk through the frames'],
	['Backspace', 'one step back'], ['Escape', 'show all'],
	['/ or Ctrl+F', 'search'], ['N, Shift+N', 'next, previous match'],
	['Ctrl+wheel, + −', 'zoom in and out'],
	['Shift+wheel', 'move left and right'],
	['F', 'only this function'], ['S', 'callers and callees'], ['H, Shift+H', 'hide function, stack'],
	['U', 'undo hiding'], ['C', 'copy the name'],
	['I, E', 'flame or icicle; open all a › b'], ['R', 'from root or by leaf'],
	['T', 'table of functions'], ['?', 'this help']];
const CHART_HELP = [['Drag, wheel on the axis', 'zoom; Shift-drag: a ruler']];
const STRIP_HELP = [['Drag on the strip', 'range of time; with Shift to compare'],
	['← →, C, Escape', 'on the strip: move (Shift: widen), compare, all']];

function openHelp(app) {
	closePopup(app);
	const rows = HELP.concat(app.v.strip ? STRIP_HELP : [],
		app.v.t.start ? CHART_HELP : []).map(([key, text]) => html('tr', {}, [
		html('th', { scope: 'row' }, [key]), html('td', {}, [text])]));
	const close = button('Close', 'Close', () => closePopup(app));

	showPopup(app, html('div', { class: 'ui help', role: 'dialog',
		'aria-modal': 'true', 'aria-label': 'Help' },
	[html('table', {}, rows), close]), Math.max(PAD, app.v.width / 2 - 200), window.scrollY + 60);
	close.focus();
}

const SHEET_WIDTH = 560; /* narrower pages have a sheet from below */

function showPopup(app, content, x, y) {
	const { width } = app.v, isSheet = width <= SHEET_WIDTH;

	app.popup = htmlBox('popup', content);
	app.popup.addEventListener('keydown', (e) => {
		if (e.key === 'Escape')
			closePopup(app);
		if (e.key === 'Escape' || (e.key === 'Tab' && content !== app.ui.menu))
			e.preventDefault();
		e.stopPropagation();
	});
	app.root.append(app.popup);
	setBox(app.popup, { x: isSheet ? 0 : x, y, height: 600,
		width: isSheet ? width : 480 });
	const size = content.getBoundingClientRect();
	const last = Math.max(window.scrollY, window.scrollY +
		window.innerHeight - size.height - (isSheet ? 0 : 8));

	setBox(app.popup, { height: size.height + 4,
		width: isSheet ? width : size.width + 4, y: isSheet ? last : Math.min(y, last) });
}

function closePopup(app) {
	if (!app.popup)
		return;
	app.popup.remove();
	app.popup = null;
	app.v.frames.focus({ preventScroll: true });
}
