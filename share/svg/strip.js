/* SPDX-License-Identifier: ISC */
/*
 * The strip of time above the graph: how busy each CPU was, ranges that are
 * selected, and where a function ran. v.strip, or null without time:
 *	times, m	of the model without a range (times.js)
 *	g		its element, of which `cells` are drawn for the width `drawn`
 *	keys, y		where its legend ends in it, and the rows begin
 *	rows, height	how high the rows are, and all
 */
const DEGREES = 8, ROW_HEIGHT = 24, ROWS_HEIGHT = 84, BAND = 4, KEYS = 16;

function makeStrip(app) {
	const { model, v } = app, { times } = model;

	if (!times)
		return null;
	const rows = Math.min(ROW_HEIGHT * times.nRows, ROWS_HEIGHT);
	const keys = times.knowsIdle ? KEYS : 0;
	const y = keys + (times.failed.size ? BAND + 2 : 0);
	const strip = { m: model, times, keys, y, rows,
		height: y + rows + AXIS_HEIGHT + 6, cells: svg('g', { class: 'cells' }),
		axis: svg('g'), ran: svg('path', { class: 'ran' }), chosen: svg('g'),
		hit: svg('rect', { class: 'hit', x: PAD, y: keys }) };

	strip.g = svg('g', { id: 'strip', tabindex: 0, role: 'slider',
		'aria-label': 'Time: drag or use the arrow keys to select a range',
		'aria-valuemin': times.begin / NS, 'aria-valuemax': times.end / NS },
	[strip.cells, strip.axis, strip.ran, strip.chosen, strip.hit]);
	v.frames.before(strip.g);
	listenStrip(app, strip);
	return strip;
}

/* How busy a cell was; -1 where there is no sample. */
function degreeOf({ all, idle, knowsIdle, most }, cell) {
	return all[cell] ? Math.round((all[cell] - idle[cell]) /
		(knowsIdle ? all[cell] : most) * DEGREES) : -1;
}

/* One path for each degree: neighbours are one rectangle. */
function cellPaths(v) {
	const { times, rows, y } = v.strip, { at, nRows } = times;
	const high = rows / nRows, d = new Array(DEGREES + 1).fill('');
	const gap = high > 4 ? 1 : 0;

	times.most = times.all.reduce((a, b) => Math.max(a, b), 0);
	for (let row = 0; row < nRows; row++)
		for (let k = 0, end; k < at.length; k = end) {
			const degree = degreeOf(times, k * nRows + row);
			const x = px(stripX(v, at[k]));

			for (end = k + 1; at[end] - at[end - 1] <= times.piece &&
				degreeOf(times, end * nRows + row) === degree;)
				end++;
			if (degree >= 0)
				d[degree] += `M${x} ${px(y + row * high)}H` +
					px(stripX(v, at[end - 1] + times.piece)) +
					`v${px(high - gap)}H${x}z`;
		}
	const names = (high < 14 ? [] : times.cpus).map((n, row) => svg('text',
		{ x: PAD + 3, y: px(y + (row + 0.5) * high + 4) }, ['CPU ' + n]));
	return d.map((path, k) => svg('path', { d: path, class: k ? 'busy' :
		'idle', 'fill-opacity': k ? 0.2 + 0.8 * k / DEGREES : 0.7 })).concat(names);
}

function failedPath(v) {
	const { times } = v.strip, wide = stripX(v, times.piece) - stripX(v, 0);

	return svg('path', { class: 'failed', d: [...times.failed.keys()].map((ns) =>
		`M${px(stripX(v, Math.max(ns, times.begin)))} ${v.strip.keys}` +
		`h${px(Math.max(wide, 2))}v${BAND}h${px(-Math.max(wide, 2))}z`)
		.join('') });
}

/* The legend, above the right end of the rows. */
function stripKeys({ strip, inner }) {
	const keys = strip.keys ? [['busy', 'busy'], ['idle', 'idle'], ['no sample', 'blank']] : [];
	const g = svg('g', { id: 'keys' });

	keys.reverse().reduce((x, [text, c]) => {
		x -= text.length * 6.7 + 28;
		g.append(svg('rect', { class: c, x, y: 2, width: 11, height: 11 }),
			svg('text', { x: x + 15, y: 12 }, [text]));
		return x;
	}, inner + PAD + 10);
	return g;
}

function stripX(v, ns) {
	const { begin, end } = v.strip.times;

	return PAD + (ns - begin) / (end - begin) * v.inner;
}

/* For the width of the window; returns how high it is. */
function layoutStrip(app) {
	const { v, s } = app, { strip } = v;

	if (!strip)
		return 0;
	const { times } = strip;
	if (strip.drawn !== v.inner)
		strip.cells.replaceChildren(...cellPaths(v), failedPath(v), stripKeys(v));
	strip.drawn = v.inner;
	const axis = axisOf({ lo: times.begin, hi: times.end, inner: v.inner,
		y: strip.y + strip.rows + 1, unit: 1, countname: 'ns' });
	strip.axis.replaceWith(axis);
	strip.axis = axis;
	setAttributes(strip.hit, { width: v.inner, height: strip.height - strip.keys });
	drawRanges(v, s);
	strip.marked = null;
	return strip.height;
}

/* Covers the rows where no range is, if there is one at all. */
function shade(v, ranges) {
	const { strip } = v, { begin, end } = strip.times;
	const path = svg('path', { class: 'shade' });
	let from = begin, d = '';

	for (const r of [...ranges].sort((a, b) => a.from - b.from)
		.concat({ from: end, to: end })) {
		if (ranges.length && r.from > from)
			d += `M${px(stripX(v, from))} ${strip.y}H` +
				`${px(stripX(v, r.from))}v${strip.rows}H` +
				`${px(stripX(v, from))}z`;
		from = Math.max(from, r.to);
	}
	path.setAttribute('d', d);
	return path;
}

function drawRanges(v, s) {
	const { strip } = v, names = s.versus ? ['before', 'after'] : [''];
	const ranges = rangesOf(strip.times, s), parts = [shade(v, ranges)];

	ranges.forEach((r, k) => {
		const x = stripX(v, r.from), w = stripX(v, r.to) - x;

		parts.push(svg('rect', { class: 'range ' + (k ? 'second' : 'first'),
			x: px(x), y: strip.y - 1, width: px(Math.max(w, 2)),
			height: strip.rows + 2 }));
		if (names[k])
			parts.push(svg('text', { x: px(x + 3), y: strip.y + 11 },
				[fitText(names[k], (w - 4) / 11)]));
	});
	strip.chosen.replaceChildren(...parts);
	const last = ranges[ranges.length - 1];
	strip.g.setAttribute('aria-valuenow',
		last ? last.from / NS : strip.times.begin / NS);
	strip.g.setAttribute('aria-valuetext', ranges.length ?
		ranges.map(spokenRange).join(' compared with ') : 'all of the time');
}

function spokenRange({ from, to }) {
	return formatTick(from, 'ns') + ' to ' + formatTick(to, 'ns');
}

/* The weight of a function by cell, each stack counted once. */
function cellsOf({ tree: t, cell, all }, id) {
	const cells = new Float64Array(all.length);

	for (let i = 1; i < t.n; i++)
		if (t.name[i] === id && cell[i] >= 0) {
			cells[cell[i]] += Number(t.total[0][i]);
			i = t.end[i] - 1;
		}
	return cells;
}

/* Marks where the function of a node ran; i is -1: nowhere. */
function markTimes(v, i) {
	const { strip } = v, id = i > 0 ? v.t.name[i] : -1;

	if (!strip || strip.marked === id)
		return;
	strip.marked = id;
	const { times } = strip, { nRows } = times, high = strip.rows / nRows;
	const cells = cellsOf(times, id);
	let d = '';
	for (let row = 0; row < nRows; row++)
		times.at.forEach((at, k) => {
			if (cells[k * nRows + row])
				d += `M${px(stripX(v, at))} ${px(strip.y + (row + 1) * high - 3)}` +
					`h${px(stripX(v, times.piece) - stripX(v, 0))}`;
		});
	strip.ran.setAttribute('d', d);
	strip.ran.setAttribute('stroke-width', px(Math.min(3, high / 2)));
}

/* The time, the last piece that has begun by then, and the row under the mouse. */
function cellUnder(app, e) {
	const { v } = app, { strip } = v, { times } = strip;
	const box = strip.hit.getBoundingClientRect();
	const ns = times.begin + (e.clientX - box.left) / v.inner *
		(times.end - times.begin);
	const [, k] = piecesIn(times, { from: 0,
		to: ns + times.piece / 2 + 1 });
	const row = Math.floor((e.clientY - box.top - strip.y + strip.keys) /
		strip.rows * times.nRows);

	return { ns, piece: k - 1, row: Math.min(Math.max(row, 0),
		times.nRows - 1) };
}

/* The name in a cell with the most self weight, and that weight. */
function topOf({ tree: t, cell, node, after, nRows }, at) {
	const piece = Math.floor(at / nRows), sums = new Map();
	let top = -1;

	for (let i = node[piece]; i < after[piece]; i++) {
		if (cell[i] !== at)
			continue;
		const sum = (sums.get(t.name[i]) || 0) + Number(t.self[0][i]);

		sums.set(t.name[i], sum);
		if (top < 0 || sum > sums.get(top))
			top = t.name[i];
	}
	return [top, sums.get(top) || 0];
}

/* How many samples failed in the piece that holds that time. */
function failedFacts({ failed, piece }, ns) {
	let sum = 0;

	for (const [at, n] of failed)
		if (at <= ns && ns < at + piece)
			sum += n;
	return sum ? [formatAmount(sum, { countname: 'samples', decimals: 0 }) +
		' failed'] : [];
}

function stripTip(app, e) {
	const { v } = app, { strip } = v, { times, m } = strip;
	const { piece, row, ns } = cellUnder(app, e);
	const isGap = piece < 0 || ns >= times.at[piece] + times.piece, cpu = times.cpus[row];
	const where = cpu === undefined ? '' : 'CPU ' + cpu + ', ';
	const from = isGap ? ns - (ns - times.begin) % times.piece : times.at[piece];
	const cell = piece * times.nRows + row, all = isGap ? 0 : times.all[cell];
	const [top, most] = all ? topOf(times, cell) : [-1, 0];
	const facts = [all ? formatAmount(all, m) : 'no samples'];
	if (times.knowsIdle && all)
		facts.push(formatPercent(all - times.idle[cell], all) + ' busy');
	if (most > 0)
		facts.push(shorten(m.names[top], 80) + ' ' + formatPercent(most, all));
	facts.push(...failedFacts(times, ns));
	return [where + spokenRange({ from, to: from + times.piece }), facts];
}

function rangesOf(times, s) {
	const first = parseRange(times, s.time);
	const second = first && parseRange(times, s.versus);

	return [first, second].filter((r) => r);
}

/* Chooses a range of whole pieces; the second one if `versus`. */
function chooseRange(app, a, b, versus, replace) {
	const { times } = app.v.strip, { begin, end, piece } = times;
	const from = begin + Math.floor((Math.min(a, b) - begin) / piece) * piece;
	const to = begin + Math.ceil((Math.max(a, b) - begin) / piece) * piece;
	const text = rangeText({ from: Math.max(begin, from),
		to: Math.min(end, Math.max(to, from + piece)) });

	app.v.current = -1;
	app.set({ window: null, sel: null, [versus ? 'versus' : 'time']: text },
		replace);
}

function clearRange(app) {
	app.setView({ time: null, versus: null });
}

/* The first range is compared with one as long after it, or before it. */
function compareRange(app) {
	const { times } = app.v.strip, [r] = rangesOf(times, app.s);

	if (!r)
		return;
	const length = r.to - r.from;
	const from = r.to + length <= times.end ? r.to :
		Math.max(times.begin, r.from - length);
	chooseRange(app, from, Math.min(times.end, from + length), true);
}

/* Moves the range chosen last, or with Shift its end, by a piece. */
function stepRange(app, step, widen) {
	const { times } = app.v.strip, { begin, end, piece } = times;
	const ranges = rangesOf(times, app.s), r = ranges[ranges.length - 1];
	let { from, to } = r || { from: begin, to: begin + piece };

	if (r && widen) {
		to = Math.min(end, Math.max(from + piece, to + step * piece));
	} else if (r) {
		const by = Math.min(end - to, Math.max(begin - from, step * piece));

		from += by;
		to += by;
	}
	chooseRange(app, from, to, ranges.length === 2, true);
}

function onStripKey(app, e) {
	if (e.altKey || e.ctrlKey || e.metaKey)
		return;
	if (e.key === 'ArrowLeft' || e.key === 'ArrowRight')
		stepRange(app, e.key === 'ArrowLeft' ? -1 : 1, e.shiftKey);
	else if (e.key === 'Escape')
		clearRange(app);
	else if (e.key === 'c')
		compareRange(app);
	else
		return;
	e.preventDefault();
	e.stopPropagation();
}

function listenStrip(app, strip) {
	const { g } = strip;
	let from = null, versus = false;

	g.addEventListener('keydown', (e) => onStripKey(app, e));
	g.addEventListener('pointerdown', (e) => {
		if (e.button !== 0)
			return;
		from = cellUnder(app, e).ns;
		versus = e.shiftKey && rangesOf(strip.times, app.s).length > 0;
		g.setPointerCapture(e.pointerId);
		g.focus({ preventScroll: true });
		e.preventDefault();
	});
	g.addEventListener('pointermove', (e) => {
		if (from !== null) {
			placeTip(app.v, null);
			chooseRange(app, from, cellUnder(app, e).ns, versus, true);
			return;
		}
		const [name, facts] = stripTip(app, e), { x, y } = placeOf(app, e);
		placeTip(app.v, [html('bdi', { class: 'name' }, [name]),
			...facts.map((f) => html('div', {}, [f]))], x, y);
	});
	for (const end of ['pointerup', 'pointercancel'])
		g.addEventListener(end, (e) => {
			if (from !== null && end === 'pointerup')
				chooseRange(app, from, cellUnder(app, e).ns, versus, true);
			from = null;
		});
	g.addEventListener('pointerleave', () => placeTip(app.v, null));
}

/* What is selected, each with a way back, for the line of such. */
function timeChips(app) {
	const [first, second] = rangesOf(app.v.strip?.times, app.s).map(spokenRange);

	if (!first)
		return [];
	if (second)
		return [chip(first + ' → ' + second, 'Show all of the time',
			() => clearRange(app))];
	return [chip(first, 'Show all of the time', () => clearRange(app)),
		button('Compare', 'Compare with another range: drag it with Shift ' +
			'held', () => compareRange(app), { class: 'small' })];
}
