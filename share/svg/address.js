/* SPDX-License-Identifier: ISC */
/*
 * What is seen, as text after the `#` of the address: names, never numbers
 * of nodes, so that a link works on a graph that was made anew.
 */

/*
 * zoom, from, sel: paths, of steps { name, nth }: nth is not 0 where siblings
 * before have the same name, as in a chart. from: in a view of callers and
 * callees, the one away from the function on the root's side. edits, in the
 * order they were made: { hide: name }, { cut: path }, { focus: name },
 * { sandwich: name }. meanwhile: a function; what other CPUs did then is shown.
 */
function emptyState() {
	return { zoom: [], from: [], window: null, q: '', regex: false, ignoreCase: true,
		inverted: null, reverse: null, order: null, root: null, edits: [],
		sel: null, theme: null, table: null, of: null, widths: null,
		norm: null, recursion: null, cpus: null, idle: null, colors: null, time: null, versus: null, ruler: null, min: null,
		runs: null, meanwhile: null };
}

const FLAGS = { inverted: ['flame', 'icicle'], reverse: ['root', 'leaf'],
	regex: [null, '1'], ignoreCase: ['0', null], norm: ['0', '1'] };

/* Parts that are a text, if they are there. */
const TEXTS = ['q', 'order', 'root', 'theme', 'table', 'of', 'widths',
	'recursion', 'cpus', 'idle', 'colors', 'time', 'versus', 'ruler', 'min', 'runs',
	'meanwhile'];

function pathText(path) {
	return path.map(({ name, nth }) => encodeURIComponent(name) +
		(nth ? ':' + (nth + 1) : '')).join(';');
}

function parsePath(text) {
	return text.split(';').filter((s) => s !== '').map((step) => {
		const [, name, nth] = /^(.*?)(?::(\d+))?$/.exec(step);

		return { name: decodeURIComponent(name),
			nth: nth > 1 ? nth - 1 : 0 };
	});
}

function stateText(s) {
	const out = [];
	const put = (k, v) => out.push(k + '=' + v);

	for (const key of ['zoom', 'from'])
		if (s[key].length)
			put(key, pathText(s[key]));
	if (s.window)
		put('window', s.window.map((v) => +v.toPrecision(9)).join('-'));
	for (const [key, values] of Object.entries(FLAGS))
		if (s[key] !== null && values[+s[key]] !== null)
			put(key, values[+s[key]]);
	for (const key of TEXTS)
		if (s[key])
			put(key, encodeURIComponent(s[key]));
	for (const edit of s.edits)
		for (const [key, what] of Object.entries(edit))
			put(key, key === 'cut' ? pathText(what) :
				encodeURIComponent(what));
	if (s.sel)
		put('sel', pathText(s.sel));
	return out.join('&');
}

/* Whether an edit chose a function. */
const chooses = (e) => e.focus !== undefined || e.sandwich !== undefined;

/* The last edit that chose a function, or an object without any. */
const chosenOf = (s) => s.edits.findLast(chooses) || {};

/* The function that alone is shown, or null. */
const focusOf = (s) => chosenOf(s).focus ?? null;

/* The function whose callers and callees are shown, or null. */
const sandwichOf = (s) => chosenOf(s).sandwich ?? null;

/* Parts that are not understood are left out. */
function parseState(text) {
	const s = emptyState();

	for (const part of text.replace(/^#/, '').split('&')) {
		const eq = part.indexOf('=');
		const key = part.slice(0, eq), value = part.slice(eq + 1);

		try {
			if (key in FLAGS) {
				const at = FLAGS[key].indexOf(value);

				if (at >= 0)
					s[key] = at === 1;
			} else if (['zoom', 'from', 'sel'].includes(key)) {
				s[key] = parsePath(value);
			} else if (key === 'cut') {
				s.edits.push({ cut: parsePath(value) });
			} else if (['hide', 'focus', 'sandwich'].includes(key)) {
				s.edits.push({ [key]: decodeURIComponent(value) });
			} else if (key === 'window') {
				const w = value.split('-').map(Number);

				if (w.length === 2 && w[0] >= 0 && w[1] <= 1 && w[0] < w[1])
					s.window = w;
			} else if (TEXTS.includes(key)) {
				s[key] = decodeURIComponent(value);
			}
		} catch (e) {
			/* a broken % sequence */
		}
	}
	return s;
}

/*
 * The browser's history of the address. text: the one that is shown, or null;
 * step: how many of our own steps can be undone.
 */
class Address {
	constructor() {
		this.text = null;
		this.step = 0;
		this.timer = 0;
	}

	/* False if it is there; replace: without a step to go back to. */
	put(text, replace) {
		if (text === this.text)
			return false;
		if (replace) {
			this.text = text;
			this.timer ||= setTimeout(() => this.flush(), 200);
		} else {
			this.flush();
			this.text = text;
			this.step++;
			this.write('pushState');
		}
		return true;
	}

	/*
	 * Browsers allow only so many changes of the address in a time: those
	 * that typing and the wheel make are put together.
	 */
	flush() {
		if (this.timer)
			this.write('replaceState');
		clearTimeout(this.timer);
		this.timer = 0;
	}

	/*
	 * By the history, so that no `hashchange` of ours comes late and is
	 * taken for a new address.
	 */
	write(how) {
		try {
			history[how]({ step: this.step }, '', '#' + this.text);
		} catch (e) {
			/* too many in a short time: the next one will do */
		}
	}

	/* The text that somebody else has put there, or null. */
	take() {
		const text = location.hash.replace(/^#/, '');

		if (text === this.text)
			return null;
		clearTimeout(this.timer);
		this.timer = 0;
		this.step = history.state ? history.state.step : 0;
		this.text = text;
		return text;
	}
}
