/* SPDX-License-Identifier: ISC */
/* Draws the frames of the current view into <g id="frames">. */
const PAD = 10, FONT_MIN = 4, GLIDE_MS = 150, EDGE_HEIGHT = 20;

function rowY(v, depth) {
	const rows = v.inverted ? depth - v.t.minDepth : v.t.maxDepth - depth;

	return v.top + rows * v.m.frameHeight;
}

function rowCount(t) {
	return t.maxDepth - t.minDepth + 1;
}

/* The depth that is drawn at a place on the page; it may have no frames. */
function depthAt(v, y) {
	const row = Math.floor((y - v.top) / v.m.frameHeight);

	return v.inverted ? v.t.minDepth + row : v.t.maxDepth - row;
}

/* The other palette of the page: a hue for each prefix, such as tcp_. */
const HUES = 24;
const prefixColours = () => [...Array(HUES).keys()].map((k) =>
	`.n${k}{color:hsl(${k * 360 / HUES} 60% 74%)}`).join('');

function nameClass(m, id, colors) {
	const prefix = colors === 'name' && /^[_<&]*[^_:.]*/.exec(m.names[id])[0];

	return prefix ? 'n' + [...prefix].reduce((sum, c) =>
		(sum * 31 + c.codePointAt(0)) % 9973, 7) % HUES :
		'c' + (m.classes[id] || 0);
}

function changeColour(v, before, after) {
	const { m } = v, unit = 10 ** m.decimals;
	const [all, now] = m.base.total.map((a) => Number(a[0]));

	/* ranges of time are compared in a picture with other colours */
	return (m.times ? 'd' : 'c') + changeClass(Number(before) / unit,
		Number(after) / unit, v.ratio, Math.max(all * v.ratio, now) / unit, m.exactUnit);
}

function classOf(v, i) {
	const { m, t } = v;

	if (m.counts === 2)
		return changeColour(v, t.total[0][i], t.total[1][i]);
	return i === 0 && v.first ? 'root' : nameClass(m, t.name[i], v.colors);
}

function isMatch(v, i) {
	return i >= v.first && v.flags !== null && (v.t.runs?.get(i) || [i]).some((k) =>
		v.flags[v.t.name[k]] === 1);
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
	const isIdle = v.t.idle.has(i), names = namesOf(v, i).map((name) => m.annotated ?
		name.replace(/_\[[kijw]\]$/, '') : name);
	const room = (w - 6) / m.fontSize;
	const text = m.fontSize < FONT_MIN ? '' : isIdle ? idleLabel(v, i, room) : fitRun(names, room,
		v.t.parent[i] > 0 ? m.names[v.t.name[v.t.parent[i]]] : '');
	const outside = v.t.x[i] < v.lo - 1e-9 * v.hi ||
		v.t.x[i] + v.t.width[i] > v.hi * (1 + 1e-9);
	const parts = [svg('rect', {
		class: isMatch(v, i) ? 'match' : isIdle ? 'hatched' : outside ? 'up' : classOf(v, i),
		x: px(x), y: px(y),
		width: px(Math.max(0, w - (w > 3 ? 0.5 : 0))), height: px(h - 1)
	})];

	if (text)
		parts.push(svg('text', { x: px(x + 3),
			y: px(y + (h - 1) / 2 + m.fontSize * (h < 15 ? 0.28 : 0.35)) }, [text]));
	return svg('g', { id: 'f' + i, role: 'treeitem',
		'aria-level': Math.abs(v.t.depth[i]) + 1,
		'aria-posinset': place[0], 'aria-setsize': place[1],
		'aria-expanded': v.t.end[i] > i + 1 ? 'true' : null,
		'aria-selected': i === v.current ? 'true' : 'false',
		'aria-label': shownName(v, i) + ', ' + countsText(v, nodeCounts(v, i)) +
			', ' + shareText(v, i, v.base) + ' ' + v.base.name }, parts);
}

const PATH_MAX = 20000; /* characters, and a rectangle more */

/*
 * Rectangles, which browsers paint much faster than the lines of the static
 * picture, which are shorter to write. WebKit takes ten times as long for one
 * path of a thousand as for a path for each hundred.
 */
function runPaths(v, runs) {
	const paths = new Map(), full = [];

	for (const r of runs) {
		const c = r.match ? 'match' : classOf(v, r.node);
		const x = Math.max(0, r.x), w = Math.min(v.inner, r.end) - x;
		const d = 'M' + px(PAD + x) + ' ' + px(rowY(v, r.depth)) + 'h' +
			px(w) + 'v' + (v.m.frameHeight - 1) + 'h' + px(-w) + 'z';

		if (paths.get(c)?.length > PATH_MAX) {
			full.push([c, paths.get(c)]);
			paths.delete(c);
		}
		paths.set(c, (paths.get(c) || '') + d);
	}
	return [...full, ...paths].map(([c, d]) => svg('path', { class: c + ' run', d,
		'aria-hidden': 'true' }));
}

/* The depths whose rows are between two places on the page. */
function rowsBetween(v, top, bottom) {
	return [depthAt(v, top), depthAt(v, bottom)].sort((a, b) => a - b)
		.map((d) => Math.min(Math.max(d, v.t.minDepth), v.t.maxDepth));
}

/* The pattern of idle CPUs. */
function makeHatch() {
	return svg('pattern', { id: 'hatch', width: 8, height: 8,
		patternUnits: 'userSpaceOnUse' }, [svg('rect', { width: 8, height: 8 }),
		svg('path', { d: 'M-2 2L2 -2M-2 10L10 -2M6 10L10 6' })]);
}

/* Buttons at the edges of the view: which rows are beyond it. */
function makeEdges() {
	return [-1, 1].map((side) => htmlBox(side < 0 ? 'above' : 'below', html('div',
		{ class: 'ui edge' }, [html('button', { type: 'button', tabindex: '-1',
			click: () => window.scrollBy(0, side * window.innerHeight / 2) })])));
}

function showEdges({ v, edges, head, barHeight, root }) {
	const h = v.m.frameHeight, y = window.scrollY, end = y + window.innerHeight;
	const [first, last] = [v.deepest, v.t.minDepth].map((d) => rowY(v, d))
		.sort((a, b) => a - b);
	const counts = [y + head + barHeight - first, last + h - end];

	edges.forEach((box, k) => {
		const n = v.printing ? 0 : Math.floor(counts[k] / h + 0.5);

		box.style.display = n > 0 ? '' : 'none';
		box.firstChild.firstChild.textContent =
			`${n} more row${n > 1 ? 's' : ''} ${k ? 'below' : 'above'}`;
		setBox(box, { x: v.width / 2 - 75, width: 150, height: EDGE_HEIGHT,
			y: k ? end - EDGE_HEIGHT - 2 : y + head + barHeight + 2 });
	});
}

/* What can be seen, and as much again above and below it. */
function drawFrames(v) {
	const y = window.scrollY, h = window.innerHeight;
	v.rows = v.printing ? [v.t.minDepth, v.t.maxDepth] :
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
		fragment.append(axisOf({ ...v, unit: 10 ** v.m.decimals, y: axisY(v),
			countname: v.m.countname }));
	v.frames.replaceChildren(fragment);
	v.frames.classList.toggle('found', v.flags !== null);
	drawLit(v);
	drawFocus(v);
}

/* The frames move from where they were in the window before. */
function glide(v, { lo, hi }) {
	const scale = (v.hi - v.lo) / (hi - lo);
	const x = PAD * (1 - scale) + (v.lo - lo) / (hi - lo) * v.inner;

	if ((lo === v.lo && scale === 1) ||
		matchMedia('(prefers-reduced-motion:reduce)').matches)
		return;
	v.frames.classList.add('gliding');
	v.frames.animate([{ transform: `translateX(${x}px) scaleX(${scale})` },
		{ transform: 'none' }], { duration: GLIDE_MS, easing: 'ease-out' })
		.onfinish = () => v.frames.classList.remove('gliding');
}

/* The frame that the keyboard is at. */
function drawFocus(v) {
	document.getElementById('focus')?.remove();
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

/* Ticks from lo to hi, of which `unit` make a count. */
function axisOf({ lo, hi, inner, y, unit, countname }) {
	const step = niceStep((hi - lo) / unit, inner / 110);
	const g = svg('g', { class: 'axis', 'aria-hidden': 'true' });

	for (let n = Math.ceil(lo / unit / step); ; n++) {
		const at = n * step * unit;

		if (at > hi)
			break;
		const x = PAD + (at - lo) / (hi - lo) * inner;
		const last = x > inner - 40;
		g.append(svg('path', { d: `M${px(x)} ${y}v6` }),
			svg('text', { x: px(x + (last ? -3 : 3)), y: y + 13,
				'text-anchor': last ? 'end' : 'start' },
			[formatTick(n * step, countname)]));
	}
	return g;
}
