/* SPDX-License-Identifier: ISC */
/*
 * Callers and callees of one function in one tree. The function is the root,
 * at depth 0; the depths on one side of it are negative.
 */

/* Whether a node's parents have these names, the nearest first. */
function isUnder(t, node, ids) {
	let i = t.parent[node];

	for (const id of ids) {
		if (i <= 0 || t.name[i] !== id)
			return false;
		i = t.parent[i];
	}
	return true;
}

/* The stacks alone that go through these nodes and then along the path. */
function throughTree(t, places, ids) {
	const part = new Uint8Array(t.n); /* 1: on the way, 2: kept whole */
	const zero = t.isExact ? 0n : 0;
	const weights = (a) => a.map((w, i) => part[i] === 2 ? w : zero);

	for (const node of nodesOf(t, ids, places)) {
		part.fill(2, node, t.end[node]);
		for (let i = t.parent[node]; i >= 0 && !part[i]; i = t.parent[i])
			part[i] = 1;
	}
	return filterTree({ ...t, start: null, self: t.self.map(weights),
		rest: t.rest.map(weights) }, (i) => !part[i]);
}

/*
 * up, down: paths of names' numbers, away from the function, along which all
 * stacks have to go; down is away from the root. byLeaf: the root of t is
 * where stacks end. The tree also has `stacks`, those in it as a tree of its
 * own, and `callees`, the sign of their depths.
 */
function sandwichTree(t, name, { up, down, least, compare, byLeaf }) {
	const stacks = throughTree(t, placesOf(t, name).filter((i) =>
		isUnder(t, i, up)), down);
	const places = placesOf(stacks, name);
	const below = mergeTree(stacks, places, name, compare);
	const above = climbTree(stacks, places.map((node) =>
		({ node, of: stacks.total, at: stacks.parent[node] })),
	{ name, least, compare });
	const out = joinSides(below, above);

	out.stacks = stacks;
	out.callees = byLeaf ? -1 : 1;
	if (byLeaf)
		for (let k = 0; k < t.counts; k++)
			out.self[k][0] = above.self[k][0];
	return out;
}

/* Two trees with the same root: the depths of the second one are negative. */
function joinSides(a, b) {
	const move = a.n - 1; /* what numbers of nodes of b grow by */
	const join = (x, y) => {
		const rest = y.slice(1);

		if (Array.isArray(x))
			return x.concat(rest);
		const out = new x.constructor(x.length + rest.length);
		out.set(x);
		out.set(rest, x.length);
		return out;
	};
	const moved = (v) => v.map((i) => i > 0 ? i + move : i);
	const out = { ...a, n: a.n + b.n - 1, minDepth: -b.maxDepth,
		parent: join(a.parent, moved(b.parent)),
		end: join(a.end, moved(b.end)),
		depth: join(a.depth, b.depth.map((d) => -d)) };

	for (const key of ['name', 'width', 'x'])
		out[key] = join(a[key], b[key]);
	for (const key of ['self', 'rest', 'total'])
		out[key] = a[key].map((v, k) => join(v, b[key][k]));
	out.end[0] = out.n;
	return out;
}

/* The same with its sides changed. */
function turnSides(t) {
	return { ...t, depth: t.depth.map((d) => -d), minDepth: -t.maxDepth,
		maxDepth: -t.minDepth, callees: -t.callees };
}
