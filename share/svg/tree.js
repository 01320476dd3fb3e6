/* SPDX-License-Identifier: ISC */
/*
 * Trees made from a tree: without some stacks, merged, sorted, reversed. All
 * have nodes in preorder; finishTree() adds what follows from the rest:
 * depth, end (after the subtree), total, width, and x.
 */

const NONE = new Set();

/* by: what each count is multiplied with for widths. */
function finishTree(t, by) {
	const n = t.n, parent = t.parent;

	t.by = by;
	t.depth = new Int32Array(n);
	t.end = new Int32Array(n);
	t.width = new Float64Array(n);
	t.x = new Float64Array(n);
	t.minDepth = t.maxDepth = t.least = 0;
	t.idle = t.shut = NONE;
	t.total = t.self.map((self, k) => {
		const total = newWeights(n, t.isExact);

		for (let i = n - 1; i >= 0; i--) {
			total[i] += self[i] + t.rest[k][i];
			if (i)
				total[parent[i]] += total[i];
		}
		return total;
	});
	for (let i = 0; i < n; i++) {
		t.depth[i] = i ? t.depth[parent[i]] + 1 : 0;
		t.maxDepth = Math.max(t.maxDepth, t.depth[i]);
		t.end[i] = i + 1;
		t.width[i] = worth(t, t.total, i);
	}
	for (let i = n - 1; i > 0; i--)
		if (t.end[parent[i]] < t.end[i])
			t.end[parent[i]] = t.end[i];
	placeNodes(t);
	if (t.tracks && t.start)
		stackTracks(t);
	return t;
}

/*
 * The nodes at the root are tracks: each stands on the last one's highest row.
 * What is nearer to the leaf is still deeper.
 */
function stackTracks(t) {
	let base = 0;

	t.maxDepth = 0;
	for (let i = 1; i < t.n; i++) {
		if (t.parent[i] === 0)
			base = t.maxDepth;
		t.depth[i] += base;
		t.maxDepth = Math.max(t.maxDepth, t.depth[i]);
	}
}

/* Of a node: not 1 where idle CPUs are drawn narrow. */
function weightPerWidth(t, i) {
	return !t.idle.size || !t.width[i] ? 1 : worth(t, t.total, i) / t.width[i];
}

/* What a node's weights, one array for each count, are worth in width. */
function worth(t, weights, i) {
	let sum = 0;

	for (let k = 0; k < t.counts; k++)
		sum += Number(weights[k][i]) * t.by[k];
	return sum;
}

/* The same tree with other widths. */
const weighTree = (t, by) => finishTree({ ...t }, by);

/* Children from their parent's left edge on, in a chart where they began. */
function placeNodes(t) {
	const next = new Float64Array(t.n), tracks = t.tracks && t.start;
	let begin = 0, longest = 0;

	for (let i = 0; i < t.n; i++) {
		const p = t.parent[i];

		if (tracks && p === 0) {
			begin = t.start[i];
			longest = Math.max(longest, t.width[i]);
		}
		if (t.start)
			t.x[i] = t.start[i] - begin;
		else if (i)
			t.x[i] = next[p];
		next[i] = t.x[i];
		if (i)
			next[p] = t.x[i] + t.width[i];
	}
	if (tracks)
		t.width[0] = longest;
}

/*
 * The tree without the subtrees for which drop(node) is true. In a chart they
 * leave a gap, as frames that were left out do.
 */
function filterTree(t, drop) {
	const keep = [], gaps = [];

	for (let i = 0; i < t.n;) {
		if (i && drop(i)) {
			gaps.push(i);
			i = t.end[i];
			continue;
		}
		keep.push(i++);
	}
	const out = newTree(keep.length, t.counts, t.isExact);
	const to = new Int32Array(t.n);
	const more = ['start', 'place'].filter((key) => t[key]);
	out.tracks = t.tracks;
	for (const key of more)
		out[key] = new t[key].constructor(keep.length);
	keep.forEach((from, i) => {
		to[from] = i;
		out.parent[i] = i ? to[t.parent[from]] : -1;
		out.name[i] = t.name[from];
		for (let k = 0; k < t.counts; k++) {
			out.self[k][i] = t.self[k][from];
			out.rest[k][i] = t.rest[k][from];
		}
		for (const key of more)
			out[key][i] = t[key][from];
	});
	if (t.start)
		for (const i of gaps)
			for (let k = 0; k < t.counts; k++)
				out.rest[k][to[t.parent[i]]] += t.total[k][i];
	return finishTree(out, t.by);
}

/*
 * Compares two groups of frames, { name, width, place }, for an order: by
 * name, by width, as recorded, or (null) as they are. rank: the place of each
 * name in their order.
 */
function orderOf(order, rank) {
	if (order === 'name')
		return (a, b) => rank[a.name] - rank[b.name];
	if (order === 'width')
		return (a, b) => b.width - a.width ||
			rank[a.name] - rank[b.name];
	if (order === 'recorded')
		return (a, b) => a.place - b.place;
	return null;
}

/*
 * A tree from its root down, made of groups { name, items, at, width, place }.
 * take(sums, node, group, child) adds to the new node's weights, sums.self and
 * sums.rest, and gives what else is in its group to children:
 * child(name, place) is the one of that name.
 */
function growTree(t, root, compare, take) {
	const parent = [], name = [], todo = [{ ...root, up: -1 }];
	const self = t.self.map(() => []), rest = t.self.map(() => []);
	const all = [...self, ...rest], zero = t.isExact ? 0n : 0;
	const array = (v) => t.isExact ? v : Float64Array.from(v);

	while (todo.length) {
		const group = todo.pop(), children = new Map();
		const up = parent.push(group.up) - 1;

		name.push(group.name);
		for (const v of all)
			v.push(zero);
		take({ self, rest }, up, group, (id, place) => {
			let g = children.get(id);

			if (!g) {
				g = { name: id, up, items: [], at: [], width: 0, place };
				children.set(id, g);
			}
			return g;
		});
		const list = [...children.values()];
		if (compare)
			list.sort(compare);
		for (let i = list.length - 1; i >= 0; i--)
			todo.push(list[i]);
	}
	return finishTree({ n: parent.length, counts: t.counts, isExact: t.isExact,
		parent: Int32Array.from(parent), name: Int32Array.from(name),
		self: self.map(array), rest: rest.map(array) }, t.by);
}

/*
 * Merges the subtrees of `roots` (nodes whose name no longer matters) under
 * a root with the name `id`; equal paths become one. fold: a frame that called
 * itself becomes one with what it called.
 */
function mergeTree(t, roots, id, compare, fold) {
	const take = (sums, at, group, child) => {
		for (const node of group.items) {
			for (let k = 0; k < t.counts; k++) {
				sums.self[k][at] += t.self[k][node];
				sums.rest[k][at] += t.rest[k][node];
			}
			for (let c = node + 1; c < t.end[node]; c = t.end[c]) {
				if (fold && t.name[c] === group.name && node > 0) {
					group.items.push(c);
					continue;
				}
				const g = child(t.name[c], t.place ? t.place[c] : 0);

				g.items.push(c);
				g.width += t.width[c];
			}
		}
	};

	return growTree(t, { name: id, items: roots }, compare, take);
}

/* The outermost nodes with that name. */
function placesOf(t, name) {
	const places = [];

	for (let i = 0; i < t.n; i = t.name[i] === name ? t.end[i] : i + 1)
		if (t.name[i] === name)
			places.push(i);
	return places;
}

/*
 * By leaf: the functions where stacks end stand at the root, their callers
 * above them. What ended in frames that were left out stands under `lost`.
 */
function reverseTree(t, lost, least, compare) {
	const items = [];

	for (let node = 0; node < t.n; node++)
		for (const of of [t.self, t.rest])
			if (of.some((a) => a[node] > 0))
				items.push({ node, of, at: of === t.rest ? -1 : node });
	return climbTree(t, items, { name: t.name[0], lost, least, compare });
}

/*
 * Merges paths to the root: items are { node, of, at }, whose weights are those
 * of the node in `of`, and whose paths begin at `at`; -1: at the node, after
 * one frame with the name `lost`. Paths narrower than `least` are not followed
 * further.
 */
function climbTree(t, items, { name, lost, least, compare }) {
	const take = (sums, me, group, child) => group.items.forEach((item, n) => {
		const at = group.at[n];

		if (at === 0 || group.width < least) {
			const into = at === 0 ? sums.self : sums.rest;

			for (let k = 0; k < t.counts; k++)
				into[k][me] += item.of[k][item.node];
			return;
		}
		const g = child(at < 0 ? lost : t.name[at], 0);
		g.items.push(item);
		g.at.push(at < 0 ? item.node : t.parent[at]);
		g.width += worth(t, item.of, item.node);
	});

	return growTree(t, { name, width: Infinity, items,
		at: items.map((item) => item.at) }, compare, take);
}

function childrenOf(t, node) {
	const out = [];

	for (let c = node + 1; c < t.end[node]; c = t.end[c])
		out.push(c);
	return out;
}

/*
 * The path of a node without the root, as { id, nth }: the number of its name,
 * and how many of the siblings before it have the same one.
 */
function pathOf(t, node) {
	const path = [];

	for (let i = node; i > 0; i = t.parent[i])
		path.unshift({ id: t.name[i], nth: childrenOf(t, t.parent[i])
			.filter((c) => c < i && t.name[c] === t.name[i]).length });
	return path;
}

/* The node that a path leads to, or the last one on it that there is. */
function followPath(t, path) {
	let at = 0;

	for (const { id, nth } of path) {
		let c = at + 1, left = nth;

		while (c < t.end[at] && (t.name[c] !== id || left-- > 0))
			c = t.end[c];
		if (c >= t.end[at])
			break;
		at = c;
	}
	return at;
}

/* For some nodes, which of how many siblings they are: Map to [nth, of]. */
function siblingPlaces(t, nodes) {
	const places = new Map(nodes.map((i) => [i, [1, 1]]));

	for (const parent of new Set(nodes.map((i) => t.parent[i])))
		(parent < 0 ? [] : childrenOf(t, parent)).forEach((c, k, all) =>
			places.has(c) && places.set(c, [k + 1, all.length]));
	return places;
}

/* All nodes that a path of names' numbers leads to from some nodes. */
function nodesOf(t, ids, from) {
	return ids.reduce((nodes, id) => nodes.flatMap((node) =>
		childrenOf(t, node).filter((c) => t.name[c] === id)), from);
}
