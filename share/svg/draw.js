/* SPDX-License-Identifier: ISC */
/* Draws the frames of the current view into <g id="frames">. */
const PAD = 10, FONT_MIN = 4;

function rowY(v, depth) {
	const rows = v.inverted ? depth : v.t.maxDepth - depth;

	return v.top + rows * v.m.frameHeight;
}

function classOf(v, i) {
	const m = v.m, t = v.t;

	if (i === 0 && m.counts === 1)
		return 'root';
	if (m.counts === 2)
		return 'c' + changeClass(
			Number(t.total[0][i]) / 10 ** m.decimals,
			Number(t.total[1][i]) / 10 ** m.decimals, v.ratio,
			Math.max(Number(m.base.total[0][0]) * v.ratio,
				Number(m.base.total[1][0])) / 10 ** m.decimals,
			m.exactUnit);
	return 'c' + (t.name[i] < m.classes.length ?
		m.classes[t.name[i]] : 0);
}

function isMatch(v, i) {
	return i >= v.first && v.flags !== null && v.flags[v.t.name[i]] === 1;
}

/* The part of a frame that is in the window, in pixels. */
function extentOf(v, i) {
	const scale = v.inner / (v.hi - v.lo);
	const x = Math.max(0, (v.t.x[i] - v.lo) * scale);
	const end = Math.min(v.inner,
		(v.t.x[i] + v.t.width[i] - v.lo) * scale);

	return { x: PAD + x, w: Math.max(0, end - x) };
}

/* place: which of how many siblings it is. */
function frameElement(v, i, place) {
	const m = v.m, { x, w } = extentOf(v, i);
	const y = rowY(v, v.t.depth[i]), h = m.frameHeight;
	const name = m.names[v.t.name[i]];
	const text = m.fontSize < FONT_MIN ? '' :
		fitText(name, (w - 6) / m.fontSize);
	const outside = v.t.x[i] < v.lo - 1e-9 * v.hi ||
		v.t.x[i] + v.t.width[i] > v.hi * (1 + 1e-9);
	const parts = [svg('rect', {
		class: isMatch(v, i) ? 'match' : outside ? 'up' : classOf(v, i),
		x: px(x), y: px(y),
		width: px(Math.max(0, w - (w > 3 ? 0.5 : 0))), height: px(h - 1)
	})];

	if (text)
		parts.push(svg('text', { x: px(x + 3),
			y: px(y + (h - 1) / 2 + m.fontSize * 0.35) }, [text]));
	return svg('g', { id: 'f' + i, role: 'treeitem',
		'aria-level': v.t.depth[i] + 1,
		'aria-posinset': place[0], 'aria-setsize': place[1],
		'aria-expanded': v.t.end[i] > i + 1 ? 'true' : null,
		'aria-selected': i === v.current ? 'true' : 'false',
		'aria-label': frameLabel(v, i) }, parts);
}

/*
 * Rectangles, which browsers paint much faster than the lines of the static
 * picture, which are shorter to write.
 */
function runPaths(v, runs) {
	const paths = new Map();

	for (const r of runs) {
		const c = r.match ? 'match' : classOf(v, r.node);
		const x = Math.max(0, r.x), w = Math.min(v.inner, r.end) - x;
		const d = 'M' + px(PAD + x) + ' ' + px(rowY(v, r.depth)) + 'h' +
			px(w) + 'v' + (v.m.frameHeight - 1) + 'h' + px(-w) + 'z';

		paths.set(c, (paths.get(c) || '') + d);
	}
	return [...paths].map(([c, d]) => svg('path', { class: c + ' run', d,
		'aria-hidden': 'true' }));
}

/* The depths whose rows are between two places on the page. */
function rowsBetween(v, top, bottom) {
	const row = (y) => Math.floor((y - v.top) / v.m.frameHeight);
	const rows = v.inverted ? [row(top), row(bottom)] :
		[v.t.maxDepth - row(bottom), v.t.maxDepth - row(top)];

	return rows.map((r) => Math.min(Math.max(r, 0), v.t.maxDepth));
}

/* What can be seen, and as much again above and below it. */
function drawFrames(v) {
	const y = window.scrollY, h = window.innerHeight;
	v.rows = v.printing ? [0, v.t.maxDepth] :
		rowsBetween(v, y - h, y + 2 * h);
	const found = visibleFrames(v.t, v.lo, v.hi, v.inner, v.rows,
		(i) => isMatch(v, i));
	const fragment = document.createDocumentFragment();

	if (v.current >= 0 && !found.elements.includes(v.current) &&
		extentOf(v, v.current).w > 0)
		found.elements.push(v.current);
	fragment.append(...runPaths(v, found.runs));
	const places = siblingPlaces(v.t, found.elements);
	for (const i of found.elements)
		fragment.append(frameElement(v, i, places.get(i)));
	if (v.t.start)
		fragment.append(axis(v));
	v.frames.replaceChildren(fragment);
	v.frames.classList.toggle('found', v.flags !== null);
	drawFocus(v);
}

/* The frame that the keyboard is at. */
function drawFocus(v) {
	const old = document.getElementById('focus');

	if (old)
		old.remove();
	if (v.current < 0) {
		v.frames.removeAttribute('aria-activedescendant');
		return;
	}
	const { x, w } = extentOf(v, v.current);

	v.frames.setAttribute('aria-activedescendant', 'f' + v.current);
	for (const e of v.frames.querySelectorAll('[aria-selected=true]'))
		e.setAttribute('aria-selected', 'false');
	const item = document.getElementById('f' + v.current);
	if (item)
		item.setAttribute('aria-selected', 'true');
	v.frames.append(svg('rect', { id: 'focus', x: px(x + 0.5),
		y: px(rowY(v, v.t.depth[v.current]) - 0.5),
		width: px(Math.max(1, w - 1)), height: v.m.frameHeight }));
}

function axis(v) {
	const m = v.m, unit = 10 ** m.decimals;
	const step = niceStep((v.hi - v.lo) / unit, v.inner / 110);
	const g = svg('g', { class: 'axis', 'aria-hidden': 'true' });
	const y = v.top + (v.t.maxDepth + 1) * m.frameHeight;

	for (let n = Math.ceil(v.lo / unit / step); ; n++) {
		const at = n * step * unit;

		if (at > v.hi)
			break;
		const x = PAD + (at - v.lo) / (v.hi - v.lo) * v.inner;
		const last = x > v.inner - 40;
		g.append(svg('path', { d: `M${px(x)} ${y}v6` }),
			svg('text', { x: px(x + (last ? -3 : 3)), y: y + 13,
				'text-anchor': last ? 'end' : 'start' },
			[formatTick(n * step, m.countname)]));
	}
	return g;
}
