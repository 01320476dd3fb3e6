/* SPDX-License-Identifier: ISC */
/*
 * What is seen, as text behind the `#` of the address: names, never numbers
 * of nodes, so that a link works on a graph that was made anew.
 */

function emptyState() {
	return { zoom: [], window: null, q: '', regex: false, ignoreCase: true,
		inverted: null, reverse: null, order: null, root: null, focus: null,
		hide: [], cut: [], sel: null, theme: null, table: null };
}

const FLAGS = { inverted: ['flame', 'icicle'], reverse: ['root', 'leaf'],
	regex: [null, '1'], ignoreCase: ['0', null] };

function pathText(path) {
	return path.map(encodeURIComponent).join(';');
}

function pathNames(text) {
	return text.split(';').filter((s) => s !== '').map(decodeURIComponent);
}

function stateText(s) {
	const out = [];
	const put = (k, v) => out.push(k + '=' + v);

	if (s.zoom.length)
		put('zoom', pathText(s.zoom));
	if (s.window)
		put('window', s.window.map((v) => +v.toPrecision(9)).join('-'));
	for (const [key, values] of Object.entries(FLAGS))
		if (s[key] !== null && values[+s[key]] !== null)
			put(key, values[+s[key]]);
	for (const key of ['q', 'order', 'root', 'focus', 'theme', 'table'])
		if (s[key])
			put(key, encodeURIComponent(s[key]));
	for (const name of s.hide)
		put('hide', encodeURIComponent(name));
	for (const path of s.cut)
		put('cut', pathText(path));
	if (s.sel)
		put('sel', pathText(s.sel));
	return out.join('&');
}

/* Parts that are not understood are left out. */
function parseState(text) {
	const s = emptyState();

	for (const part of text.replace(/^#/, '').split('&')) {
		const eq = part.indexOf('=');
		const key = part.slice(0, eq), value = part.slice(eq + 1);

		try {
			parsePart(s, key, value);
		} catch (e) {
			/* a broken % sequence */
		}
	}
	return s;
}

function parsePart(s, key, value) {
	if (key in FLAGS) {
		const at = FLAGS[key].indexOf(value);

		if (at >= 0)
			s[key] = at === 1;
	} else if (key === 'zoom' || key === 'sel') {
		s[key] = pathNames(value);
	} else if (key === 'cut') {
		s.cut.push(pathNames(value));
	} else if (key === 'hide') {
		s.hide.push(decodeURIComponent(value));
	} else if (key === 'window') {
		const w = value.split('-').map(Number);

		if (w.length === 2 && w[0] >= 0 && w[1] <= 1 && w[0] < w[1])
			s.window = w;
	} else if (['q', 'order', 'root', 'focus', 'theme', 'table']
		.includes(key)) {
		s[key] = decodeURIComponent(value);
	}
}
