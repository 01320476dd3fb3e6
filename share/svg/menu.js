/* SPDX-License-Identifier: ISC */
/* The menu of a frame, and the page of help. */

function menuItems(app, i) {
	const { v } = app, name = v.m.names[v.t.name[i]];
	const href = linkOf(v.m.link, name);
	const items = [['Zoom', () => app.zoom(i)]];

	if (i > 0)
		items.push(['Only this function', () =>
			app.edit({ focus: name })],
		['Callers and callees', () => app.edit({ sandwich: name })],
		['Hide this function', () => app.hide(i)]);
	if (i > 0 && app.canCut())
		items.push(['Hide this stack', () => app.cut(i)]);
	items.push(['Copy name', () => copyText(name)],
		['Copy stack', () => copyText(app.path(i).map((step) =>
			step.name).join(';'))],
		['Copy link', () => copyText(location.href.split('#')[0] +
			'#' + stateText(app.s))]);
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
	['I', 'flame or icicle'], ['R', 'from root or by leaf'],
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
