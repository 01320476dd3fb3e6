/* SPDX-License-Identifier: ISC */
/*
 * Two counts of a frame, before and after: how much it has changed. The colour,
 * the texts and the table all take their numbers from here.
 */

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
