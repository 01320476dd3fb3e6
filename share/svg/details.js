/* SPDX-License-Identifier: ISC */
/* What is said of a frame: in a line, in the tooltip, to a screen reader. */

function countsText(v, values) {
	const m = v.m, text = values.map((x) => formatCount(x, m.decimals));

	if (m.counts === 1)
		return text[0] + ' ' + m.countname;
	return text[0] + ' → ' + text[1] + ' ' + m.countname;
}

function nodeCounts(v, i) {
	return v.t.total.map((total) => total[i]);
}

/* Shares of all, of what is shown, or from before to after. */
function shareText(v, i) {
	const m = v.m, t = v.t, base = m.base.total;

	if (m.counts === 2)
		return formatPercent(t.total[0][i], base[0][0]) + ' → ' +
			formatPercent(t.total[1][i], base[1][0]);
	return formatPercent(t.total[0][i], Math.max(m.whole, Number(base[0][0])));
}

/* Whether the counts are samples, whose shares have a margin. */
function isSampled(m) {
	return m.counts === 1 && m.decimals === 0 && m.countname === 'samples';
}

function marginText(v, i) {
	const of = Number(v.m.base.total[0][0]);

	return '±' + marginOf(Number(v.t.total[0][i]), of).toFixed(2) + '%';
}

/* Characters of a name that are shown where there is room for many. */
const NAME_SHOWN = 300;

function shownName(v, i) {
	return shorten(v.m.names[v.t.name[i]], NAME_SHOWN);
}

function frameLabel(v, i) {
	return shownName(v, i) + ', ' + countsText(v, nodeCounts(v, i)) +
		', ' + shareText(v, i);
}

/* By leaf, stacks end in the frames at the root. */
function selfCounts(v, i) {
	const { t } = v;

	if (v.byLeaf)
		return t.total.map((a) => t.depth[i] === 1 ? a[i] : 0);
	return t.self.map((a) => a[i]);
}

/* The facts after the name, as texts. */
function frameFacts(v, i) {
	const m = v.m, t = v.t, facts = [countsText(v, nodeCounts(v, i))];
	const shown = v.hi - v.lo, source = sourceOf(m.names[t.name[i]]);

	if (m.counts === 2)
		facts.push('change ' + changeText(v, i));
	facts.push(shareText(v, i) + (isSampled(m) ? ' ' + marginText(v, i) : '') +
		' of all');
	if (shown < v.full * (1 - 1e-9))
		facts.push(formatPercent(Math.min(t.width[i], shown), shown) +
			' of what is shown');
	facts.push('self ' + countsText(v, selfCounts(v, i)));
	if (source)
		facts.push(source.file + ':' + source.line);
	return facts;
}

function shareOf(part, whole) {
	return whole ? Number(part) / Number(whole) : 0;
}

function changeText(v, i) {
	const t = v.t, base = v.m.base.total, k = v.m.decimals;
	const before = t.total[0][i], after = t.total[1][i];

	return (after > before ? '+' : '') + formatCount(after - before, k) + ', ' +
		formatChange(shareOf(before, base[0][0]), shareOf(after, base[1][0]));
}

const HINT = 'Click a frame to zoom, right-click it for more; ? for help';

/* Of a node, or if it is -1 of the one zoomed to. */
function showDetails(v, node) {
	const i = node < 0 && v.zoomed ? v.zoomed : node;

	if (i < 0) {
		v.details.replaceChildren(HINT);
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

function showTip(v, i, x, y) {
	const box = v.tip;

	if (i < 0) {
		box.style.display = 'none';
		return;
	}
	const inside = box.firstChild;
	inside.replaceChildren(html('bdi', { class: 'name' },
		[shownName(v, i)]),
	...frameFacts(v, i).map((f) => html('div', {}, [f])));
	box.style.display = '';
	setBox(box, { width: Math.min(460, v.width - 8), height: 400 });
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
