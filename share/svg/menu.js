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
	items.push(['Copy name', () => copyText(name)]);
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

		if (step)
			all[(all.indexOf(document.activeElement) + step +
				all.length) % all.length].focus();
		if (e.key === 'Escape' || e.key === 'Tab')
			closePopup(app);
		e.stopPropagation();
		if (step || e.key === 'Escape')
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

	const keydown = (e) => {
		if (e.key === 'Escape')
			closePopup(app);
		if (e.key === 'Escape' || e.key === 'Tab')
			e.preventDefault();
		e.stopPropagation();
	};
	showPopup(app, html('div', { class: 'ui help', role: 'dialog', keydown,
		'aria-modal': 'true', 'aria-label': 'Help' },
	[html('table', {}, rows), close]), Math.max(PAD, app.v.width / 2 - 200), window.scrollY + 60);
	close.focus();
}

function showPopup(app, content, x, y) {
	app.popup = htmlBox('popup', content);
	app.root.append(app.popup);
	setBox(app.popup, { x, y, width: 480, height: 600 });
	const size = content.getBoundingClientRect();
	const bottom = window.scrollY + window.innerHeight;

	setBox(app.popup, { width: size.width + 4, height: size.height + 4,
		y: Math.min(y, Math.max(window.scrollY,
			bottom - size.height - 8)) });
}

function closePopup(app) {
	if (!app.popup)
		return;
	app.popup.remove();
	app.popup = null;
	app.v.frames.focus({ preventScroll: true });
}
