/* SPDX-License-Identifier: ISC */
/* What is said of a frame: in a line, in the tooltip, to a screen reader. */

function countsText(v, values) {
	const m = v.m;

	if (m.counts === 1)
		return formatAmount(values[0], m);
	return shortAmount(values[0], m) + ' → ' + formatAmount(values[1], m);
}

/* Without the name of what is counted, where that goes without saying. */
function shortAmount(x, m) {
	return m.exactUnit ? formatAmount(x, m) : formatCount(x, m.decimals);
}

function nodeCounts(v, i) {
	return v.t.total.map((total) => total[i]);
}

/* What shares are of, for each count, and in the scale of widths. */
function findBases(v) {
	const { m, t } = v, all = m.base.total.map((a) => a[0]);

	if (m.counts === 1)
		all[0] = Math.max(m.whole, Number(all[0]));
	v.all = { totals: all, name: 'of all', width: all.reduce((sum, x, k) =>
		sum + Number(x) * t.by[k], 0) };
	const tracks = t.tracks && t.start; /* all of them are shown */
	const shown = totalsBetween(t, v.lo, v.hi, tracks ? -1 : v.zoomed);
	v.shown = { totals: shown, name: 'of what is shown',
		width: tracks ? worth(t,
			shown.map((x) => [x]), 0) : !t.idle.size ? v.hi - v.lo :
			Number(shown[0]) * t.by[0] };
	v.base = v.ofShown ? v.shown : v.all;
}

/* Between lo and hi; node: the one that is just as wide, if there is one. */
function totalsBetween(t, lo, hi, node) {
	if (t.x[node] === lo && t.x[node] + t.width[node] === hi)
		return t.total.map((a) => a[node]);
	if (t.stacks)
		return t.total.map((a) => Number(a[0]) * (hi - lo) / t.width[0]);
	return t.total.map((total) => {
		let sum = 0;

		for (let i = 1; i < t.n; i = t.end[i]) {
			const w = Math.min(hi, t.x[i] + t.width[i]) -
				Math.max(lo, t.x[i]);

			if (w > 0)
				sum += Number(total[i]) * w / t.width[i];
		}
		return sum;
	});
}

/* From before to after, if there are two counts. */
function shareText(v, i, base) {
	return nodeCounts(v, i).map((x, k) =>
		formatPercent(x, base.totals[k])).join(' → ');
}

/*
 * The margin of a share of all, if the counts are samples: exact counts have
 * none, and neither has the whole.
 */
function marginText(v, i) {
	const { m, t } = v, n = Number(t.total[0][i]);
	const of = Number(m.base.total[0][0]);

	if (m.counts === 2 || m.decimals > 0 || m.countname !== 'samples' || n >= of)
		return '';
	return ' ±' + marginOf(n, of, m.captures).toFixed(2) + '%';
}

/* Characters of a name: in a line, and in a tooltip, which wraps it. */
const NAME_SHOWN = 300, TIP_NAME_SHOWN = 8000;

/* Of a tooltip, in pixels: a line, what is not the name, and its width. */
const TIP_LINE = 17, TIP_FACTS = 180, TIP_WIDTH = 460, TIP_WIDE = 900;

function shownName(v, i) {
	return shorten(namesOf(v, i).join(THEN), NAME_SHOWN);
}

/*
 * By leaf, stacks end in the frames at the root; among callers, it is not
 * known: null.
 */
function selfCounts(v, i) {
	const { t } = v;

	if (t.stacks && t.depth[i] * t.callees < 0)
		return null;
	if (v.byLeaf && !t.stacks)
		return t.total.map((a) => t.parent[i] === 0 ? a[i] : 0);
	return t.self.map((a) => a[i]);
}

/*
 * Where a frame itself was most, as the program's lines.c has it: the lines of source
 * right above it. A chart has each of them more than once.
 */
const LINES_SHOWN = 3;

function linesOf({ m, t, all }, i) {
	const isLine = (name) => /^[^\s()@[\]:]+\.[A-Za-z]\w{0,4}:\d+$/.test(name);

	return t.start ? [] : childrenOf(t, t.runs?.get(i)?.at(-1) ?? i)
		.filter((c) => isLine(m.names[t.name[c]])).sort((a, b) => t.width[b] - t.width[a])
		.slice(0, LINES_SHOWN).map((c) => m.names[t.name[c]] + ' ' +
			shareText({ t }, c, all));
}

/* The facts after the name, as texts. */
function frameFacts(v, i) {
	const m = v.m, t = v.t, facts = [countsText(v, nodeCounts(v, i))];
	const source = sourceOf(m.names[t.name[i]]), self = selfCounts(v, i);

	if (m.counts === 2)
		facts.push('change ' + changeText(v, i));
	facts.push(shareText(v, i, v.all) + marginText(v, i) + ' of all',
		shareText(v, i, v.shown) + ' of what is shown');
	if (self)
		facts.push('self ' + countsText(v, self));
	return facts.concat(source ? source.file + ':' + source.line : [], linesOf(v, i));
}

/* Of a node, or if it is -1 of the one zoomed to. */
function showDetails(v, node) {
	const i = node < 0 && v.zoomed ? v.zoomed : node;

	markTimes(v, i);
	if (i < 0) {
		v.details.replaceChildren((matchMedia('(pointer:coarse)').matches ?
			'Tap a frame to zoom, hold it for more' :
			'Click a frame to zoom, right-click it for more; ? for help') +
			(v.strip ? '; drag across the strip for a range of time' : ''));
		return;
	}
	const facts = html('span', { class: 'facts' },
		[' ' + frameFacts(v, i).join(' · ')]);
	const href = linkOf(v.m.link, v.m.names[v.t.name[i]]);
	if (href)
		facts.append(' · ', html('a', { href, target: '_blank',
			rel: 'noopener noreferrer' }, ['source']));
	v.details.replaceChildren(
		html('bdi', { class: 'name' }, [shownName(v, i)]), facts);
}

/* Of a tooltip, in pixels: all of it, and the bars of CPUs. */
const SPARK = 220, SPARK_HEIGHT = 32, BARS = 60;

/* A function's share of each CPU as bars, and over time as a line of them. */
function sparkOf({ strip, t }, i) {
	if (!strip || i < 1)
		return [];
	const { nRows, all, at } = strip.times, cells = cellsOf(strip.times, t.name[i]);
	const columns = Math.min(at.length, SPARK - BARS), h = SPARK_HEIGHT;
	const share = (from, end, step) => {
		let part = 0, whole = 0;

		for (let c = from; c < end; c += step) {
			part += cells[c];
			whole += all[c];
		}
		return whole && part / whole;
	};
	const begin = (k) => Math.floor(k * at.length / columns) * nRows;
	const cpus = Array.from({ length: nRows }, (x, row) => share(row, all.length, nRows));
	const line = Array.from({ length: columns }, (x, k) => share(begin(k), begin(k + 1), 1));
	const top = Math.max(...cpus, ...line) || 1;
	const bars = (values, x, w, gap) => svg('path', { d: values.map((y, k) =>
		`M${px(x + k * w)} ${h}v${px(-y / top * h)}h${px(w - gap)}V${h}z`).join('') });

	return [svg('svg', { class: 'spark', width: SPARK, height: h },
		[bars(cpus, 0, (BARS - 10) / nRows, nRows < 20 ? 1 : 0),
			bars(line, BARS, (SPARK - BARS) / columns, 0)]),
	html('div', {}, [(nRows > 1 ? 'by CPU, and ' : '') + 'over time, up to ' +
		formatPercent(top, 1)])];
}

function showTip(v, i, x, y) {
	if (i < 0) {
		placeTip(v, null);
		return;
	}
	const name = html('bdi', { class: 'name' },
		[shorten(namesOf(v, i).join(THEN), TIP_NAME_SHOWN)]);
	name.style.webkitLineClamp = Math.max(3,
		Math.floor((window.innerHeight - TIP_FACTS) / TIP_LINE));
	const facts = [...frameFacts(v, i), ...v.t.runs?.has(i) ? ['a click gives each a row'] : []];
	placeTip(v, [name, ...facts.map((f) => html('div', {}, [f])),
		...sparkOf(v, i)], x, y);
}

/* A tooltip of these parts beside the mouse; null: none. */
function placeTip(v, parts, x, y) {
	const box = v.tip, inside = box.firstChild;

	if (!parts) {
		box.style.display = 'none';
		return;
	}
	inside.replaceChildren(...parts);
	box.style.display = '';
	setBox(box, { width: Math.min(inside.textContent.length > 2 * NAME_SHOWN ?
		TIP_WIDE : TIP_WIDTH, v.width - 8), height: 400 });
	const size = inside.getBoundingClientRect();
	const end = window.scrollY + window.innerHeight;
	const left = x + 14 + size.width > v.width ?
		x - size.width - 10 : x + 14;
	const top = y + 18 + size.height > end ? y - size.height - 10 : y + 18;
	setBox(box, { x: Math.min(Math.max(left, 4), v.width - size.width - 4),
		y: Math.max(top, window.scrollY), width: size.width + 4,
		height: size.height + 4 });
}

function copyText(text) {
	const fallback = () => {
		const area = html('textarea', {}, [text]);

		document.querySelector('#ui').firstChild.append(area);
		area.select();
		document.execCommand('copy');
		area.remove();
	};

	if (navigator.clipboard)
		navigator.clipboard.writeText(text).catch(fallback);
	else
		fallback();
}
