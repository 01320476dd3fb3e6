/* SPDX-License-Identifier: ISC */
/*
 * Runs of frames of one colour that do nothing but call the next one. Where rows
 * of ROW_LEAST pixels do not fit the height, each run stands in one row:
 * `ip_output › ip_finish_output`. The run that is zoomed to is open.
 */
const ONLY_CALLS = 0.98, COLOUR_SHADES = 4, THEN = ' › ';

/* The frame that a node does little but call, or -1. */
function onlyCallee(m, t, i) {
	const colour = (k) => m.counts === 1 ? Math.floor(m.classes[t.name[k]] / COLOUR_SHADES) : 0;

	for (let c = i + 1; i > 0 && c < t.end[i]; c = t.end[c])
		if (t.width[c] >= t.width[i] * ONLY_CALLS)
			return colour(c) === colour(i) && !t.idle.has(i) ? c : -1;
	return -1;
}

/*
 * The same nodes in fewer rows: t.runs has the nodes of each run by its first
 * one, t.joined is 1 for the others. whole: the tree of all rows.
 */
function foldRuns(m, whole, open) {
	const t = { ...whole, whole, runs: new Map(), joined: new Uint8Array(whole.n),
		depth: new Int32Array(whole.n), maxDepth: 0 };
	const next = new Int32Array(t.n), head = new Int32Array(t.n), { parent } = t;

	for (let i = 0; i < t.n; i++)
		next[i] = onlyCallee(m, whole, i);
	for (let i = open; i > 0 && next[parent[i]] === i; i = parent[i])
		next[parent[i]] = -1;
	for (let i = open, callee; (callee = next[i]) > 0; i = callee)
		next[i] = -1;
	for (let i = 1; i < t.n; i++) {
		const up = parent[i];

		head[i] = i;
		t.depth[i] = t.depth[up] + 1;
		if (next[up] === i) {
			t.joined[i] = 1;
			t.depth[i]--;
			head[i] = head[up];
			if (head[i] === up)
				t.runs.set(up, [up]);
			t.runs.get(head[i]).push(i);
		}
		t.maxDepth = t.width[i] < t.least ? t.maxDepth : Math.max(t.maxDepth, t.depth[i]);
	}
	return t;
}

/* Chooses how many rows there are, for so many pixels. */
function fitRows({ v, s, rowHeight }, room) {
	const whole = v.t.whole || v.t, { m } = v;
	const fits = rowCount(whole) * Math.min(rowHeight, ROW_LEAST) <= room;

	if (v.printing || fits || s.runs === 'apart' || whole.start || whole.stacks)
		v.t = whole;
	else if (v.t.folded !== v.zoomed || v.t.whole !== whole)
		v.t = Object.assign(foldRuns(m, whole, v.zoomed), { folded: v.zoomed });
	v.t.shut = whole.shut;
}

/* The names of a node, or of its run. */
function namesOf({ t, m }, i) {
	return (t.runs?.get(i) || [i]).map((k) => m.names[t.name[k]]);
}

/* As many of a run's whole names as fit, or the first one as fitName() cuts it. */
function fitRun(names, room, parent) {
	const isRun = names.length > 1, most = Math.floor(room / NARROW / (1 + THEN.length)) + 1;

	for (let n = Math.min(names.length, most); isRun && n > 0; n--) {
		const text = names.slice(0, n).join(THEN) + (n < names.length ? THEN.trimEnd() : '');

		if (fitText(text, room) === text)
			return text;
	}
	const [first] = isRun ? names.slice(0, most).map((name) => fitName(name, room - 2 * NARROW,
		parent)).filter((text) => text) : [];
	return first ? first + THEN.trimEnd() : fitName(names[0], room, parent);
}
