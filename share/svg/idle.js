/* SPDX-License-Identifier: ISC */
/*
 * Idle CPUs, which the picture shows as a narrow frame at the left edge, of each
 * CPU where they are apart: what is below `halted` where stacks are told apart
 * by state, else the stacks that end in a function which the palette calls idle.
 */
const HALTED = 'halted', IDLE = '(idle)', IDLE_SHARE = 0.08;

/* Where each stack is drawn once, from the root. */
function isIdleNarrow(m, s) {
	return (s.idle ? s.idle === 'narrow' : !m.wideIdle) && !m.isChart && m.counts === 1 &&
		(s.reverse === null || s.reverse === m.reverse) && !m.reverse &&
		focusOf(s) === null && sandwichOf(s) === null && !(m.whole > m.base.width[0]);
}

/* Whether any name tells of idle CPUs. */
function knowsIdle(m) {
	return m.names.some((name, id) => name === HALTED || isIdleName(m, id));
}

function isIdleName(m, id) {
	return m.classes[id] >= m.idleClasses[0] && m.classes[id] <= m.idleClasses[1];
}

/*
 * The tree with idle CPUs not wider than IDLE_SHARE of all. Weights stay; t.idle
 * has the frames that are narrow.
 */
function narrowIdle(m, t) {
	const halted = idOf(m, HALTED), named = (tree, id) => topsOf(m, tree).flatMap((top) =>
		childrenOf(tree, top).filter((i) => tree.name[i] === id));
	const from = named(t, halted).length || !m.idleClasses.length ? t : splitIdle(m, t);
	const idle = named(from, from === t ? halted : m.idle);
	const sum = idle.reduce((all, i) => all + from.width[i], 0);
	const rest = from.width[0] - sum, width = rest * IDLE_SHARE / (1 - IDLE_SHARE);

	if (rest <= 0 || sum <= width)
		return t;
	const out = { ...from, idle: new Set(idle), x: new Float64Array(from.n),
		width: from.width.slice() };
	for (const i of idle) {
		for (let up = out.parent[i]; up >= 0; up = out.parent[up])
			out.width[up] -= from.width[i] * (1 - width / sum);
		for (let k = i; k < out.end[i]; k++)
			out.width[k] *= width / sum;
	}
	placeNodes(out);
	return out;
}

/* The CPUs, where the root has nothing else, or the root. */
function topsOf(m, t) {
	const roots = childrenOf(t, 0);

	return roots.length && roots.every((i) => /^CPU#\d+$/.test(m.names[t.name[i]])) ?
		roots : [0];
}

/* The tree with stacks that end in idle functions below a frame of their own. */
function splitIdle(m, t) {
	const tops = topsOf(m, t), out = { n: 0, counts: 1, isExact: t.isExact,
		parent: [], name: [], self: [[]], rest: [[]] };
	const has = new Uint8Array(t.n), to = new Int32Array(t.n); /* 1: idle stacks, 2: others */
	const kind = (i) => isIdleName(m, t.name[i]) ? 1 : 2;
	const zero = newWeights(1, t.isExact)[0];
	const add = (up, id, self, rest) => {
		out.self[0].push(self);
		out.rest[0].push(rest);
		out.name.push(id);
		return out.n = out.parent.push(up), out.n - 1;
	};
	const copy = (top, part, up) => {
		to[top] = up;
		for (let i = top + 1; i < t.end[top]; i = has[i] & part ? i + 1 : t.end[i])
			if (has[i] & part)
				to[i] = add(to[t.parent[i]], t.name[i],
					kind(i) === part ? t.self[0][i] : zero, part === 2 ? t.rest[0][i] : zero);
	};

	for (let i = t.n - 1; i > 0; i--) {
		has[i] |= (t.self[0][i] > 0 ? kind(i) : 0) | (t.rest[0][i] > 0 ? 2 : 0);
		has[t.parent[i]] |= has[i];
	}
	for (const top of tops[0] ? [0, ...tops] : tops) {
		const at = add(top ? 0 : -1, t.name[top], t.self[0][top], t.rest[0][top]);

		if (top || !tops[0]) {
			if (has[top] & 1)
				copy(top, 1, add(at, m.idle, zero, zero));
			copy(top, 2, at);
		}
	}
	const array = t.isExact ? (a) => a : (a) => Float64Array.from(a);
	return finishTree({ ...out, parent: Int32Array.from(out.parent),
		name: Int32Array.from(out.name), self: out.self.map(array),
		rest: out.rest.map(array) }, t.by);
}

/* Of what fits: its share of all, or only what it is. */
function idleLabel(v, i, room) {
	const share = Math.round(Number(v.t.total[0][i]) * 100 / v.all.width);

	return [`idle ${share} %`, 'idle', ''].find((text) => fitText(text, room) === text);
}
