/* SPDX-License-Identifier: ISC */
/*
 * Where root frames are pieces of time, the file's tree is that of all pieces,
 * m.times.tree, and what is shown is made from it: the tree without time, of a
 * range, or of two ranges as counts before and after.
 */
const NS = 1e9;

/* `[12.300s]` in ns, or -1. */
function pieceStart(name) {
	const found = /^\[(\d+(?:\.\d+)?)s\]$/.exec(name);

	return found ? Math.round(found[1] * NS) : -1;
}

/* With more CPUs than this, or more cells, all share one row. */
const CPUS_MAX = 64, CELLS_MAX = 1 << 20;

/*
 * tree, of: each node's number in `shape`, the tree without time; cell: which
 * piece and row it is in. at, node, after: of each piece, when it begins in ns, its
 * root frame, and the node after it. cpus: each row's CPU, or none. all, idle: the
 * weight of each cell, and of that what is idle (idle.js). failed: how many samples
 * failed in a piece, by its beginning. isByCapture: the file's pieces are captures;
 * those of the strip have as many together as there is room for.
 */
function takeTimes(m, piece, failed) {
	const t = m.base, cpus = findCpus(m), nRows = Math.max(cpus.length, 1);
	const times = { tree: t, piece, cpus, at: [], node: [], after: [], nRows,
		ranges: new Map(), failed: new Map(), isByCapture: isByCapture(t, cpus) };
	const rowOf = new Map(cpus.map((n, i) => ['CPU#' + n, i]));
	let row = 0, k = -1;

	if (times.isByCapture)
		times.piece = pieceOfStrip(m, piece);
	times.cell = new Int32Array(t.n).fill(-1);
	for (let i = 1; i < t.n; i++) {
		if (t.depth[i] === 1) {
			const at = pieceStart(m.names[t.name[i]]);

			k = at < 0 ? -1 : putPiece(times, at, i);
			row = 0;
		} else if (t.depth[i] === 2 && cpus.length) {
			row = rowOf.get(m.names[t.name[i]]) || 0;
		}
		times.cell[i] = k < 0 ? -1 : k * nRows + row;
	}
	times.begin = times.at[0];
	for (const [ns, n] of (failed.match(/\d+:\d+/g) || []).map((pair) => pair.split(':').map(Number))) {
		const at = beginOf(times, ns);

		times.failed.set(at, (times.failed.get(at) || 0) + n);
	}
	times.end = [...times.failed.keys()].reduce((a, b) => Math.max(a, b),
		times.at[times.at.length - 1]) + times.piece;
	weighCells(m, times);
	m.times = times;
	findShape(m, times);
	m.base = treeOfNodes(times, [[[1, t.n]]]);
	times.whole = Number(m.base.total[0][0]);
}

/* Where the strip's piece with that time begins. */
function beginOf({ at, piece, isByCapture }, ns) {
	return isByCapture && at.length ? at[0] + Math.floor((ns - at[0]) / piece) * piece : ns;
}

/* Adds a root frame to the strip's piece of that time, and returns its number. */
function putPiece(times, ns, i) {
	const { at, node, after, tree } = times, last = at.length - 1;
	const from = beginOf(times, ns);

	if (last >= 0 && at[last] === from) {
		after[last] = tree.end[i];
		return last;
	}
	node.push(i);
	after.push(tree.end[i]);
	return at.push(from) - 1;
}

/* Whether no CPU has more than one sample in a piece. */
function isByCapture(t, cpus) {
	return cpus.length > 0 && t.depth.every((depth, i) =>
		depth !== 2 || Number(t.total[0][i]) <= 1);
}

/* As long as kst-fold makes them for more captures. */
const PIECES = 200;

function pieceOfStrip({ names, base: t }, piece) {
	const at = childrenOf(t, 0).map((i) => pieceStart(names[t.name[i]])).filter((ns) => ns >= 0);
	const step = niceStep(at[at.length - 1] - at[0] + 1, Math.min(at.length + 1, PIECES));

	return Math.max(piece, step);
}

/* The CPUs, if there is nothing else below the pieces. */
function findCpus({ names, base: t }) {
	const ids = new Set(t.name.filter((id, i) => t.depth[i] === 2));
	const cpus = [...ids].map((id) => (/^CPU#(\d+)$/.exec(names[id]) || [])[1]);
	const pieces = t.depth.reduce((n, depth) => n + (depth === 1), 0);

	return cpus.every((n) => n) && cpus.length <= CPUS_MAX &&
		cpus.length * pieces <= CELLS_MAX ?
		cpus.map(Number).sort((a, b) => a - b) : [];
}

function weighCells(m, times) {
	const { tree: t, cell } = times, root = times.cpus.length ? 2 : 1;
	const n = times.at.length * times.nRows, halted = idOf(m, HALTED);
	const byState = t.name.some((id, i) => id === halted && t.depth[i] === root + 1);

	times.all = new Float64Array(n);
	times.idle = new Float64Array(n);
	for (let i = 1; i < t.n; i++)
		if (cell[i] >= 0 && t.depth[i] === root) {
			times.all[cell[i]] += Number(t.total[0][i]);
		} else if (cell[i] >= 0 && (byState ? t.depth[i] === root + 1 &&
			t.name[i] === halted : isIdleName(m, t.name[i]))) {
			times.idle[cell[i]] += Number((byState ? t.total : t.self)[0][i]);
			times.knowsIdle = true;
		}
}

/* The paths without their pieces, in preorder by name. */
function findShape(m, times) {
	const t = times.tree, of = times.of = new Int32Array(t.n);

	times.shape = growTree({ ...t, counts: 0, self: [], rest: [] },
		{ name: t.name[0], items: childrenOf(t, 0) },
		orderOf('name', rankOf(m)), (sums, at, group, child) => {
			for (const node of group.items) {
				of[node] = at;
				for (const c of childrenOf(t, node))
					child(t.name[c], 0).items.push(c);
			}
		});
}

/* The tree without time; groups: for each count, ranges [first node, node after]. */
function treeOfNodes(times, groups) {
	const { tree: { self, rest, isExact }, shape, of } = times;
	const sums = ([w]) => groups.map((ranges) => {
		const sum = newWeights(shape.n, isExact);

		for (const [from, end] of ranges)
			for (let i = from; i < end; i++)
				sum[of[i]] += w[i];
		return sum;
	});
	const out = { ...shape, isExact, counts: groups.length, self: sums(self),
		rest: sums(rest), by: groups.map(() => 1) };
	const all = [...out.self, ...out.rest];
	const used = shape.name.map((id, i) => all.some((w) => w[i] > 0));

	for (let i = shape.n - 1; i > 0; i--)
		used[shape.parent[i]] |= used[i];
	return filterTree(out, (i) => !used[i]);
}

/* The pieces [first, end) that begin in a range { from, to } of ns. */
function piecesIn({ at, piece }, { from, to }) {
	/* a link may come from a picture of other pieces */
	return [from, to].map((ns) => at.findLastIndex((x) => x < ns - piece / 2) + 1);
}

/* `1.2-3.4` of an address, in ns within the picture's time, or null. */
function parseRange(times, text) {
	const found = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text || '');
	const [from, to] = (found || []).slice(1).map((s) => Math.round(s * NS));

	if (!times || !(from < to) || to <= times.begin || from >= times.end)
		return null;
	return { from: Math.max(from, times.begin),
		to: Math.min(to, times.end) };
}

function rangeText({ from, to }) {
	return +(from / NS).toFixed(9) + '-' + +(to / NS).toFixed(9);
}

/* The model of what a state asks for: m itself without a range. */
function modelAt(m, s) {
	const ranges = !s.time ? [] : [s.time, s.versus].map((text) =>
		parseRange(m.times, text)).filter((r) => r);
	const whose = meanwhileOf(m, s);

	if (!ranges.length && whose < 0)
		return m;
	const key = [whose, ...ranges.map(rangeText)].join(' ');
	const { times } = m;
	if (!times.ranges.has(key)) {
		if (times.ranges.size > 6)
			times.ranges.delete(times.ranges.keys().next().value);
		times.ranges.set(key, modelOfRanges(m, ranges, whose));
	}
	return times.ranges.get(key);
}

/* Whether the file tells what CPUs did at one time. */
const knowsOthers = ({ times }) => !!times?.isByCapture && times.nRows > 1;

/* The number of the function whose meanwhile is shown, or -1. */
function meanwhileOf(m, s) {
	return s.meanwhile && knowsOthers(m) ? idOf(m, s.meanwhile) : -1;
}

/* What the other CPUs did, in captures [from, end) with a function on one of them. */
function othersOf({ tree: t }, id, [from, end]) {
	const out = [];
	const isIn = (cpu) => {
		let i = cpu;

		while (i < t.end[cpu] && t.name[i] !== id)
			i++;
		return i < t.end[cpu];
	};

	for (let i = from; i < end; i = t.end[i]) {
		const cpus = childrenOf(t, i), those = cpus.filter(isIn);

		out.push(...cpus.filter((c) => those.some((other) => other !== c))
			.map((c) => [c, t.end[c]]));
	}
	return out;
}

/* whose: -1, or only what the other CPUs did while one was in this function. */
function modelOfRanges(m, ranges, whose) {
	const { times } = m;
	const nodes = ranges.map((r) => {
		const [first, end] = piecesIn(times, r);

		return first === end ? [0, 0] : [times.node[first], times.after[end - 1]];
	});
	const base = treeOfNodes(times, (nodes.length ? nodes : [[1, times.tree.n]]).map((range) =>
		whose < 0 ? [range] : othersOf(times, whose, range)));
	const share = Number(base.total[0][0]) / times.whole;

	idOf(m, ''); /* so that all ranges share the table */
	return Object.assign(Object.create(m), { base, whole: 0,
		made: new Map(), counts: base.counts,
		captures: Math.round(m.captures * share),
		normalized: ranges.length === 2 });
}
