/* SPDX-License-Identifier: ISC */
/*
 * Reads the data that the program wrote into the document. A number is made
 * of digits of five bits, the highest first: characters from 63 on, and from
 * 95 on when more digits follow.
 */
const DIGIT = 63, MORE = 32;

/* All numbers of a text, as weights. */
function decodeNumbers(text, isExact) {
	const digits = [...Array(32).keys()].map((d) => isExact ? BigInt(d) : d);
	const base = isExact ? 32n : 32;
	let n = 0;

	for (let i = 0; i < text.length; i++)
		if (text.charCodeAt(i) < DIGIT + MORE)
			n++;
	const out = newWeights(n, isExact);
	let v = digits[0], at = 0;
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i) - DIGIT;

		v = v * base + digits[c & 31];
		if (c < MORE) {
			out[at++] = v;
			v = digits[0];
		}
	}
	return out;
}

/* Each name ends with a line feed. */
function decodeNames(text) {
	const names = text.split('\n');

	names.pop();
	return names;
}

/*
 * A tree in preorder, as arrays: parent, name, and self and rest (of frames
 * that were left out) for each count; in a chart also where nodes begin, and
 * for unsorted input their place among their siblings. isExact: weights are
 * BigInt, as a number could not hold them.
 */
function decodeTree(text, counts, isChart, hasPlaces, isExact) {
	const v = decodeNumbers(text, isExact);
	const fields = 2 + 2 * counts + (isChart || hasPlaces ? 1 : 0);
	const n = Math.floor(v.length / fields);
	const t = newTree(n, counts, isExact);
	let last = -1, at = 0, start = 0;

	if (isChart)
		t.start = new Float64Array(n);
	if (hasPlaces)
		t.place = new Int32Array(n);
	for (let i = 0; i < n; i++) {
		let up = v[at++], parent = last;

		for (; i > 0 && up > 0; up--)
			parent = t.parent[parent];
		t.parent[i] = parent;
		t.name[i] = Number(v[at++]);
		for (let k = 0; k < counts; k++) {
			t.self[k][i] = v[at++];
			t.rest[k][i] = v[at++];
		}
		if (isChart)
			t.start[i] = start += Number(v[at++]);
		if (hasPlaces)
			t.place[i] = Number(v[at++]);
		last = i;
	}
	return t;
}

function newTree(n, counts, isExact) {
	const arrays = () => Array.from({ length: counts },
		() => newWeights(n, isExact));

	return { n, counts, isExact, parent: new Int32Array(n),
		name: new Int32Array(n), self: arrays(), rest: arrays() };
}

/* n weights of zero. */
function newWeights(n, isExact) {
	return isExact ? new Array(n).fill(0n) : new Float64Array(n);
}

/* A share of a weight. */
function partOf(weight, share) {
	if (share === 1)
		return weight;
	return typeof weight === 'bigint' ?
		BigInt(Math.round(Number(weight) * share)) : weight * share;
}
