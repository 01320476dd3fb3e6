/* SPDX-License-Identifier: ISC */
/*
 * Which frames are drawn how: the widest as elements of their own, the
 * others together as runs, so that a picture has a bounded number of nodes.
 */
const ELEMENTS_MAX = 700, ELEMENT_PX = 4, RUN_PX = 1;

/*
 * The frames between lo and hi on `px` pixels. elements: nodes; runs: parts
 * { x, end, depth, node } of narrow frames that touch each other, in pixels.
 */
function visibleFrames(t, lo, hi, px) {
	const scale = px / (hi - lo), elements = [], runs = [];
	const open = new Array(t.maxDepth + 1);
	let wide = [];

	for (let i = 0; i < t.n;) {
		const x = (t.x[i] - lo) * scale, w = t.width[i] * scale;

		if (x + w <= 0 || x >= px || w <= 0) {
			i = t.end[i];
			continue;
		}
		if (w >= ELEMENT_PX)
			wide.push(i);
		else
			addRun(runs, open, x, w, t.depth[i], i);
		i = w < 0.1 ? t.end[i] : i + 1;
	}
	if (wide.length > ELEMENTS_MAX) {
		const by = wide.map((i) => t.width[i]).sort((a, b) => b - a);
		const least = by[ELEMENTS_MAX];

		for (const i of wide)
			if (t.width[i] <= least)
				addRun(runs, open, (t.x[i] - lo) * scale,
					t.width[i] * scale, t.depth[i], i);
		wide = wide.filter((i) => t.width[i] > least);
	}
	for (const i of wide)
		elements.push(i);
	return { elements, runs };
}

function addRun(runs, open, x, w, depth, node) {
	const run = open[depth];

	if (run && Math.abs(x - run.end) < 0.05 && x + w - run.x < RUN_PX) {
		run.end = x + w;
		return;
	}
	open[depth] = { x, end: x + w, depth, node };
	runs.push(open[depth]);
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

/*
 * The colour class of a change, the same as the program's: 0 to 3 less, 4
 * within the noise of counting, 5 to 8 more.
 */
function changeClass(before, after, ratio, whole) {
	const change = after - before * ratio, size = Math.abs(change);
	const steps = [0.002, 0.01, 0.05];
	let step = 0;

	if (size * size <= 1.96 * 1.96 * (before * ratio * ratio + after))
		return 4;
	while (step < 3 && size >= steps[step] * whole)
		step++;
	return change < 0 ? 3 - step : 5 + step;
}
