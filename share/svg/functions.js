/* SPDX-License-Identifier: ISC */
/* Sums by function of what is shown, and how much two counts differ. */

/*
 * How much of each node's self time lies between lo and hi: what its children
 * there leave of it, as a share.
 */
function selfParts(t, lo, hi) {
	const part = new Float64Array(t.n);

	for (let i = 0; i < t.n; i++) {
		const x = Math.max(lo, t.x[i]);
		const w = (Math.min(hi, t.x[i] + t.width[i]) - x) * weightPerWidth(t, i);

		if (w <= 0)
			continue;
		part[i] += w;
		if (i)
			part[t.parent[i]] -= w;
	}
	for (let i = 0; i < t.n; i++) {
		const all = worth(t, t.self, i) + worth(t, t.rest, i);
		const share = all > 0 ? part[i] / all : 0;

		part[i] = share < 1e-9 ? 0 : share > 1 - 1e-9 ? 1 : share;
	}
	return part;
}

/*
 * Self and total of each function between lo and hi, for each count; a
 * function that calls itself counts once for each stack. Sorted by `by`:
 * self, selfshare, total, share, name, before, after, change or relative (of two counts);
 * with `-` in front the other way round. byLeaf: stacks end in the frames at
 * the root. ratio: what makes counts before comparable with those after.
 * first: 0 where the root is a function, too. sums: exact ones that replace
 * those of frames, or null.
 */
function functionTable(t, names, { lo, hi, by, flags, byLeaf, ratio, first, sums }) {
	const zeros = () => t.total.map(() =>
		newWeights(names.length, t.isExact));
	const self = zeros(), total = zeros(), stack = [];
	const open = new Int32Array(names.length);
	const parts = byLeaf ? null : selfParts(t, lo, hi), near = 1e-9 * hi;

	for (let i = first; i < t.n; i++) {
		const x = t.x[i], end = x + t.width[i], name = t.name[i];

		while (stack.length && t.end[stack[stack.length - 1]] <= i)
			open[t.name[stack.pop()]]--;
		if (end <= lo + near || x >= hi - near) {
			i = t.end[i] - 1;
			continue;
		}
		const part = x >= lo - near && end <= hi + near ? 1 :
			(Math.min(end, hi) - Math.max(x, lo)) / t.width[i];
		const outermost = open[name]++ === 0;
		stack.push(i);
		for (let k = 0; k < t.counts; k++) {
			const sum = partOf(t.total[k][i], part);

			if (!byLeaf)
				self[k][name] += partOf(t.self[k][i], parts[i]);
			else if (t.parent[i] === 0)
				self[k][name] += sum;
			if (outermost)
				total[k][name] += sum;
		}
	}
	for (const { id, of } of sums || [])
		(t.counts === 1 ? [self[0], total[0]] : total).forEach((a, k) => {
			a[id] = of[k];
		});
	const rows = [], of = (sum, id) => sum.map((a) => a[id]);
	for (let id = 0; id < names.length; id++)
		if (total.some((a) => a[id] > 0) && (!flags || flags[id]) &&
			names[id] !== IDLE && !(sums && names[id] === LOST))
			rows.push(tableRowOf(t, id, of(self, id), of(total, id),
				ratio));
	return sortRows(rows, names, by);
}

function tableRowOf(t, id, self, total, ratio) {
	if (t.counts === 1)
		return { id, self: self[0], selfshare: self[0], total: total[0],
			share: total[0] };
	const change = changeOf(total[0], total[1], ratio);

	return { id, before: total[0], after: total[1], change,
		relative: relativeOf(total[0], change, ratio) };
}

function sortRows(rows, names, by) {
	const key = by.replace(/^-/, ''), sign = by === key ? 1 : -1;
	const byName = (a, b) => names[a.id] < names[b.id] ? -1 : 1;

	return rows.sort(key === 'name' ? (a, b) => sign * byName(a, b) :
		(a, b) => sign * (Math.abs(Number(b[key])) -
			Math.abs(Number(a[key]))) || byName(a, b));
}

/* What makes counts before comparable: the share, or 1 for counts as such. */
function ratioOf(m, normalize) {
	const [before, after] = m.base.total.map((a) => Number(a[0]));

	return normalize && before && after ? after / before : 1;
}

/* In units of a weight; exact where nothing is scaled. */
function changeOf(before, after, ratio) {
	return ratio === 1 ? after - before : Number(after) - Number(before) * ratio;
}

/* As a part of what it was; Infinity where there was nothing. */
function relativeOf(before, change, ratio) {
	const was = Number(before) * ratio;

	return was > 0 ? Number(change) / was : Number(change) > 0 ? Infinity : 0;
}

/*
 * The colour class of a change, the same as the program's: 0 to 3 less, 4
 * none beyond the noise of counting, 5 to 8 more. Exact counts have no noise.
 */
function changeClass(before, after, ratio, whole, isExact) {
	const change = after - before * ratio, size = Math.abs(change);
	const steps = [0.002, 0.01, 0.05];
	const noise = isExact ? 0 : before * ratio * ratio + after;
	let step = 0;

	if (size * size <= 1.96 * 1.96 * noise)
		return 4;
	while (step < 3 && size >= steps[step] * whole)
		step++;
	return change < 0 ? 3 - step : 5 + step;
}

/* What the legend says of these classes, the same as the program's. */
const CHANGE_KEYS = ['−5%', '−1%', '−0.2%', 'less', 'no change beyond noise', 'more',
	'+0.2%', '+1%', '+5% of all'];

/* The functions whose self weight changed most beyond noise, in the window. */
const MOVERS = 5;

function moversOf(v) {
	const { m, t } = v, self = t.self.map(() => new Float64Array(m.names.length));

	for (let i = 1; i < t.n; i++)
		if (t.x[i] >= v.lo && t.x[i] < v.hi)
			self.forEach((sum, k) => {
				sum[t.name[i]] += Number(t.self[k][i]);
			});
	return m.names.map((name, id) => [name, changeOf(self[0][id],
		self[1][id], v.ratio), /4$/.test(changeColour(v, self[0][id], self[1][id]))])
		.filter(([, change, noise]) => change && !noise)
		.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, MOVERS);
}

function sign(v) {
	return v > 0 ? '+' : v < 0 ? '−' : '';
}

/* `+20.00%`, `new`, or `gone`. */
function relativeText(before, after, relative) {
	if (!(Number(before) > 0))
		return Number(after) > 0 ? 'new' : '';
	if (!(Number(after) > 0))
		return 'gone';
	return sign(relative) + (Math.abs(relative) * 100).toFixed(2) + '%';
}

/* The change itself: counts, or with equal totals points of the share. */
function sizeText(v, change) {
	const m = v.m;

	if (!v.normalized)
		return (Number(change) > 0 ? '+' : '') + shortAmount(change, m);
	const points = Number(change) * 100 / Number(m.base.total[1][0]);
	return sign(points) + Math.abs(points).toFixed(2) + ' points';
}

function changeText(v, i) {
	const [before, after] = v.t.total.map((a) => a[i]);
	const change = changeOf(before, after, v.ratio);
	const part = relativeText(before, after, relativeOf(before, change, v.ratio));

	return sizeText(v, change) + (part ? ', ' + part : '');
}
