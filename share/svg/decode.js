/* SPDX-License-Identifier: ISC */
/*
 * Reads the data that the program wrote into the document. A number is made
 * of digits of five bits, the highest first: characters from 63 on, and from
 * 95 on when more digits follow.
 */
const DIGIT = 63, MORE = 32;

/* All numbers of a text. */
function decodeNumbers(text) {
	let n = 0;

	for (let i = 0; i < text.length; i++)
		if (text.charCodeAt(i) < DIGIT + MORE)
			n++;
	const out = new Float64Array(n);
	let v = 0, at = 0;
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i) - DIGIT;

		v = v * 32 + (c & 31);
		if (c < MORE) {
			out[at++] = v;
			v = 0;
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
 * for unsorted input their place among their siblings.
 */
function decodeTree(text, counts, isChart, hasPlaces) {
	const v = decodeNumbers(text);
	const fields = 2 + 2 * counts + (isChart || hasPlaces ? 1 : 0);
	const n = Math.floor(v.length / fields);
	const t = newTree(n, counts);
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
		t.name[i] = v[at++];
		for (let k = 0; k < counts; k++) {
			t.self[k][i] = v[at++];
			t.rest[k][i] = v[at++];
		}
		if (isChart)
			t.start[i] = start += v[at++];
		if (hasPlaces)
			t.place[i] = v[at++];
		last = i;
	}
	return t;
}

function newTree(n, counts) {
	const arrays = () => Array.from({ length: counts },
		() => new Float64Array(n));

	return { n, counts, parent: new Int32Array(n), name: new Int32Array(n),
		self: arrays(), rest: arrays() };
}
