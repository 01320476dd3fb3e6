/* SPDX-License-Identifier: ISC */
/* Which names match, and how much of what is shown they make up. */

/*
 * A test for names. Plain text unless isRegex; returns { error } for a
 * pattern that is none, and null for no text.
 */
function makeTest(text, isRegex, ignoreCase) {
	if (!text)
		return null;
	try {
		const source = isRegex ? text :
			text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
		const regex = makeRegex(source, ignoreCase ? 'i' : '');

		return { test: (name) => regex.test(name) };
	} catch (e) {
		return { error: String(e.message) };
	}
}

/* With characters instead of 16 bits, unless that forbids an escape. */
function makeRegex(source, flags) {
	try {
		return new RegExp(source, flags + 'u');
	} catch (e) {
		return new RegExp(source, flags);
	}
}

/* For each name's number whether it matches. */
function matchNames(names, test) {
	const flags = new Uint8Array(names.length);

	for (let i = 0; i < names.length; i++)
		flags[i] = test.test(names[i]) ? 1 : 0;
	return flags;
}

/*
 * The matching frames between lo and hi in order, and their width, each stack
 * counted once.
 */
function matchedShare(t, flags, lo, hi) {
	const nodes = [];
	let width = 0, inside = 0; /* of a match: up to that node */

	for (let i = 0; i < t.n;) {
		const x = t.x[i], end = x + t.width[i];

		if (end <= lo || x >= hi) {
			i = t.end[i];
			continue;
		}
		if (i && flags[t.name[i]]) {
			nodes.push(i);
			if (i >= inside) {
				width += Math.min(end, hi) - Math.max(x, lo);
				inside = t.end[i];
			}
		}
		i++;
	}
	return { width, nodes };
}

