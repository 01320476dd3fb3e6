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
		const regex = new RegExp(source, ignoreCase ? 'iu' : 'u');

		return { test: (name) => regex.test(name) };
	} catch (e) {
		return { error: String(e.message) };
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
 * The width of the matching frames between lo and hi, each stack counted
 * once, and the outermost of these frames in order.
 */
function matchedShare(t, flags, lo, hi) {
	const nodes = [];
	let width = 0;

	for (let i = 0; i < t.n;) {
		const x = t.x[i], end = x + t.width[i];

		if (end <= lo || x >= hi) {
			i = t.end[i];
		} else if (i && flags[t.name[i]]) {
			width += Math.min(end, hi) - Math.max(x, lo);
			nodes.push(i);
			i = t.end[i];
		} else {
			i++;
		}
	}
	return { width, nodes };
}

/*
 * Self and total of each function between lo and hi; a function that calls
 * itself counts once for each stack. Sorted by `by`: self, total or name.
 */
function functionTable(t, names, lo, hi, by, flags) {
	const self = new Float64Array(names.length);
	const total = new Float64Array(names.length);
	const open = new Int32Array(names.length), stack = [];

	for (let i = 1; i < t.n; i++) {
		const x = t.x[i], end = x + t.width[i], name = t.name[i];

		while (stack.length && t.end[stack[stack.length - 1]] <= i)
			open[t.name[stack.pop()]]--;
		if (end <= lo || x >= hi) {
			i = t.end[i] - 1;
			continue;
		}
		const part = (Math.min(end, hi) - Math.max(x, lo)) /
			(t.width[i] || 1);
		const own = t.counts === 1 ? t.self[0][i] :
			t.self[0][i] * t.ratio + t.self[1][i];
		self[name] += own * part;
		if (open[name]++ === 0)
			total[name] += t.width[i] * part;
		stack.push(i);
	}
	const rows = [];
	for (let id = 0; id < names.length; id++)
		if (total[id] > 0 && (!flags || flags[id]))
			rows.push({ id, self: self[id], total: total[id] });
	const byName = (a, b) => names[a.id] < names[b.id] ? -1 : 1;
	rows.sort(by === 'name' ? byName :
		(a, b) => b[by] - a[by] || byName(a, b));
	return rows;
}
