/* SPDX-License-Identifier: ISC */
/*
 * Which frames are drawn how: the widest as elements of their own, the
 * others together as runs, so that a picture has a bounded number of nodes.
 */
const ELEMENTS_MAX = 700, ELEMENT_PX = 4, RUN_PX = 1;

/*
 * Calls each(node, width in pixels) for the frames between lo and hi on `px`
 * pixels, of depths rows[0] to rows[1], not narrower than t.least, and not
 * above those in t.shut.
 */
function eachVisible(t, lo, hi, px, rows, each) {
	const scale = px / (hi - lo);

	for (let i = 0; i < t.n;) {
		const x = (t.x[i] - lo) * scale, w = t.width[i] * scale;
		const depth = t.depth[i];

		if (x + w <= 0 || x >= px || w <= 0 || t.width[i] < t.least) {
			i = t.end[i];
			continue;
		}
		if (depth >= rows[0] && depth <= rows[1])
			each(i, w);
		i = w < 0.1 || t.shut.has(i) || (depth >= 0 && depth >= rows[1]) ||
			(depth < 0 && depth <= rows[0]) ? t.end[i] : i + 1;
	}
}

/*
 * The frames that eachVisible() finds. elements: nodes; runs: parts { x, end,
 * depth, node, match } of narrow frames that touch each other, in pixels;
 * match: isMatch() of any of them.
 */
function visibleFrames(t, lo, hi, px, rows, isMatch) {
	const scale = px / (hi - lo), runs = [], open = [];
	const addRun = (i) => joinRun(runs, open, t.minDepth, {
		x: (t.x[i] - lo) * scale,
		end: (t.x[i] - lo + t.width[i]) * scale, depth: t.depth[i], node: i,
		match: isMatch(i) });
	let wide = [];

	eachVisible(t, lo, hi, px, rows, (i, w) => {
		if (t.joined?.[i])
			return;
		if (w >= ELEMENT_PX)
			wide.push(i);
		else
			addRun(i);
	});
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

function joinRun(runs, open, least, frame) {
	const run = open[frame.depth - least];

	if (run && Math.abs(frame.x - run.end) < 0.05 &&
		frame.end - run.x < RUN_PX) {
		run.end = frame.end;
		run.match ||= frame.match;
		return;
	}
	open[frame.depth - least] = frame;
	runs.push(frame);
}

/* The depth of the frame that is farthest from the root, on that many pixels. */
function deepestBetween(t, lo, hi, px) {
	let deepest = 0;

	eachVisible(t, lo, hi, px, [t.minDepth, t.maxDepth], (i, w) => {
		if (w >= RUN_PX / 2)
			deepest = Math.max(deepest, t.depth[i]);
	});
	return deepest;
}

/* The node at a depth and a place on the scale, or -1. */
function nodeAt(t, depth, at) {
	for (let i = 0; i < t.n;) {
		if (at < t.x[i] || at >= t.x[i] + t.width[i] ||
			t.width[i] < t.least) {
			i = t.end[i];
			continue;
		}
		if (t.depth[i] === depth)
			return i;
		i = t.shut.has(i) ? t.end[i] : i + 1;
	}
	return -1;
}
