/* SPDX-License-Identifier: ISC */
/* The controls above the picture. Each only changes the state. */

function button(label, title, click, attrs) {
	return html('button', { type: 'button', title, 'aria-label': title,
		click, ...attrs }, [label]);
}

function choice(label, values, change) {
	return html('select', { 'aria-label': label, title: label,
		change: (e) => change(e.target.value) },
	values.map(([value, text]) => html('option', { value }, [text])));
}

/* Choices of a text of the state, "" for none: s[key], shown in ui[key]. */
const CHOICES = ['order', 'recursion', 'root', 'of', 'widths', 'theme'];

function stateChoice(app, key, label, values, set) {
	app.ui[key] = choice(label, values, (x) => app[set]({ [key]: x || null }));
	return app.ui[key];
}

function searchControls(app) {
	const ui = app.ui;

	ui.search = html('input', { type: 'search', placeholder: 'Search  /',
		'aria-label': 'Search functions', spellcheck: 'false',
		autocomplete: 'off',
		input: () => app.set({ q: ui.search.value }, true) });
	ui.regex = button('.*', 'Regular expression', () =>
		app.set({ regex: !app.s.regex }));
	ui.ignoreCase = button('Aa', 'Match case', () =>
		app.set({ ignoreCase: !app.s.ignoreCase }));
	ui.found = html('output', { class: 'found', 'aria-live': 'polite' });
	return html('span', { class: 'group' }, [ui.search, ui.regex,
		ui.ignoreCase,
		button('‹', 'Previous match', () => app.nextMatch(-1)),
		button('›', 'Next match', () => app.nextMatch(1)), ui.found]);
}

/* The first is how the tree in the file is ordered. */
function orders(m) {
	const name = ['name', 'Sort: by name'], width = ['width', 'Sort: by width'];

	if (m.isChart)
		return [['', 'Sort: as recorded'], name, width];
	return [['', 'Sort: by name'], width].concat(m.base.place ?
		[['recorded', 'Sort: as recorded']] : []);
}

function viewControls(app) {
	const ui = app.ui, roots = rootNames(app.v.m);
	const parts = [];

	ui.inverted = choice('Direction', [['flame', 'Flame: root below'],
		['icicle', 'Icicle: root on top']], (x) => app.set({ inverted: x === 'icicle' }));
	ui.reverse = choice('Merge from', [['root', 'Merge: from the root'],
		['leaf', 'Merge: from the leaf']], (x) => app.setView({ reverse: x === 'leaf' }));
	parts.push(ui.inverted, ui.reverse,
		stateChoice(app, 'order', 'Order', orders(app.v.m), 'setView'));
	if (!app.v.m.isChart && hasRecursion(app.v.m))
		parts.push(stateChoice(app, 'recursion', 'Direct recursion',
			[['', 'Recursion: kept'], ['merged', 'Recursion: merged']],
			'setView'));
	if (roots.length)
		parts.push(stateChoice(app, 'root', 'Root',
			[['', 'Show: all roots']].concat(
				roots.map((r) => [r, shorten(r, 60)])), 'setView'));
	return html('span', { class: 'group' }, parts);
}

/* What numbers say: shares of what, and of two counts which. */
function countControls(app) {
	const ui = app.ui, parts = [];

	ui.min = html('input', { class: 'min', placeholder: 'Least count or %',
		'aria-label': 'Hide narrower frames',
		title: 'Hide frames with less than this count, such as 10, or ' +
			'share of all, such as 0.5%', spellcheck: 'false',
		input: () => app.set({ min: ui.min.value.trim() || null }, true) });
	parts.push(stateChoice(app, 'of', 'Percentages', [['', '% of all'],
		['shown', '% of what is shown']], 'set'), ui.min);
	if (app.v.m.counts === 2) {
		ui.norm = button('Normalise', 'Compare shares, as if both totals ' +
			'were equal', () => app.setView({ norm: !app.v.normalized }));
		parts.push(stateChoice(app, 'widths', 'Widths', [['', 'Width: both'],
			['before', 'Width: before'], ['after', 'Width: after']],
		'setView'), ui.norm);
	}
	return html('span', { class: 'group' }, parts);
}

function makeToolbar(app) {
	const ui = app.ui;

	ui.table = button('Table', 'Table of functions', () =>
		app.toggleTable());
	stateChoice(app, 'theme', 'Colours of the page', [['', 'Theme: system'],
		['light', 'Theme: light'], ['dark', 'Theme: dark']], 'set');
	ui.save = choice('Save what is shown', [['', 'Save …'],
		['svg', 'as SVG'], ['png', 'as PNG']], (x) => {
		ui.save.value = '';
		savePicture(app, x);
	});
	ui.chips = html('div', { class: 'chips' });
	app.v.details = html('div', { class: 'details', role: 'status' });
	return html('div', { class: 'ui', id: 'toolbar' }, [
		html('div', { class: 'bar', role: 'toolbar',
			'aria-label': 'Flame graph' }, [
			html('span', { class: 'group' }, [
				button('Reset', 'Show all', () => app.reset()),
				button('Back', 'One step back', () => app.back())]),
			searchControls(app), viewControls(app), countControls(app),
			html('span', { class: 'group' }, [ui.table, ui.theme, ui.save,
				button('?', 'Help', () => openHelp(app))])]),
		ui.chips, makeMap(app), app.v.details]);
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
		list.push(chip((idOf(app.v.m, focus ?? middle) < 0 ? 'not here: ' :
			focus !== null ? 'only ' : 'callers and callees of ') +
			shorten(focus ?? middle, NAME_SHOWN), 'Show all functions',
		without((e) => e.focus !== undefined || e.sandwich !== undefined)));
	list.push(...timeChips(app));
	app.ui.chips.replaceChildren(...list);
}

/* The controls say what the state is. */
function updateToolbar(app) {
	const { ui, s, v } = app;

	if (document.activeElement !== ui.search)
		ui.search.value = s.q;
	if (document.activeElement !== ui.min)
		ui.min.value = s.min || '';
	ui.min.classList.toggle('bad', !!s.min && leastOf(v.m, s.min) === null);
	ui.regex.setAttribute('aria-pressed', s.regex);
	ui.ignoreCase.setAttribute('aria-pressed', !s.ignoreCase);
	ui.table.setAttribute('aria-pressed', !!s.table);
	ui.inverted.value = v.inverted ? 'icicle' : 'flame';
	ui.reverse.value = v.byLeaf ? 'leaf' : 'root';
	ui.norm?.setAttribute('aria-pressed', v.normalized);
	for (const key of CHOICES)
		if (ui[key])
			ui[key].value = s[key] || '';
	showChips(app);
}
