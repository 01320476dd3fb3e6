/* SPDX-License-Identifier: ISC */
/*
 * Which frames are drawn how: the widest as elements of their own, the
 * others together as runs, so that a picture has a bounded number of nodes.
 */
const ELEMENTS_MAX = 700, ELEMENT_PX = 4, RUN_PX = 1;

/*
 * The frames between lo and hi on `px` pixels, of depths rows[0] to rows[1].
 * elements: nodes; runs: parts { x, end, depth, node, match } of narrow frames
 * that touch each other, in pixels; match: isMatch() of any of them.
 */
function visibleFrames(t, lo, hi, px, rows, isMatch) {
	const scale = px / (hi - lo), runs = [], open = new Array(t.maxDepth + 1);
	const addRun = (i) => joinRun(runs, open, { x: (t.x[i] - lo) * scale,
		end: (t.x[i] - lo + t.width[i]) * scale, depth: t.depth[i], node: i,
		match: isMatch(i) });
	let wide = [];

	for (let i = 0; i < t.n;) {
		const x = (t.x[i] - lo) * scale, w = t.width[i] * scale;

		if (x + w <= 0 || x >= px || w <= 0) {
			i = t.end[i];
			continue;
		}
		if (t.depth[i] >= rows[0]) {
			if (w >= ELEMENT_PX)
				wide.push(i);
			else
				addRun(i);
		}
		i = w < 0.1 || t.depth[i] === rows[1] ? t.end[i] : i + 1;
	}
	if (wide.length > ELEMENTS_MAX) {
		const by = wide.map((i) => t.width[i]).sort((a, b) => b - a);
		const least = by[ELEMENTS_MAX];
		let ties = ELEMENTS_MAX - by.findIndex((w) => w === least);

		wide = wide.filter((i) => {
			if (t.width[i] > least ||
				(t.width[i] === least && ties-- > 0))
				return true;
			addRun(i);
			return false;
		});
	}
	return { elements: wide, runs };
}

function joinRun(runs, open, frame) {
	const run = open[frame.depth];

	if (run && Math.abs(frame.x - run.end) < 0.05 &&
		frame.end - run.x < RUN_PX) {
		run.end = frame.end;
		run.match ||= frame.match;
		return;
	}
	open[frame.depth] = frame;
	runs.push(frame);
}

/* The node at a depth and a place on the scale, or -1. */
function nodeAt(t, depth, at) {
	for (let i = 0; i < t.n;) {
		if (at < t.x[i] || at >= t.x[i] + t.width[i]) {
			i = t.end[i];
			continue;
		}
		if (t.depth[i] === depth)
			return i;
		i++;
	}
	return -1;
}
