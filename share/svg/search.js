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
 * Self and total of each function between lo and hi, for each count; a
 * function that calls itself counts once for each stack. Sorted by `by`:
 * self, total, name, or change (of two counts).
 */
function functionTable(t, names, lo, hi, by, flags) {
	const sums = () => t.total.map(() => new Float64Array(names.length));
	const self = sums(), total = sums(), stack = [];
	const open = new Int32Array(names.length);

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
		const outermost = open[name]++ === 0;
		stack.push(i);
		for (let k = 0; k < t.counts; k++) {
			self[k][name] += t.self[k][i] * part;
			if (outermost)
				total[k][name] += t.total[k][i] * part;
		}
	}
	const rows = [], of = (sum, id) => sum.map((a) => a[id]);
	for (let id = 0; id < names.length; id++)
		if (total.some((a) => a[id] > 0) && (!flags || flags[id]))
			rows.push(tableRowOf(t, id, of(self, id), of(total, id)));
	const byName = (a, b) => names[a.id] < names[b.id] ? -1 : 1;
	rows.sort(by === 'name' ? byName : (a, b) =>
		Math.abs(b[by]) - Math.abs(a[by]) || byName(a, b));
	return rows;
}

/* self and total are widths, as in the picture. */
function tableRowOf(t, id, self, total) {
	const width = (v) => t.counts === 1 ? v[0] : v[0] * t.ratio + v[1];

	return { id, self: width(self), total: width(total), counts: total,
		change: t.counts === 1 ? 0 : total[1] - total[0] * t.ratio };
}
