/* SPDX-License-Identifier: ISC */
/*
 * The axis of a chart: who drags along it sees how long that is, and zooms to
 * it or, with Shift held, leaves a ruler there.
 */
const AXIS_HEIGHT = 18;

/* Where on the scale an event points to, rounded, if it is on the axis. */
function placeOnAxis(app, e, anywhere) {
	const { v } = app, place = placeOf(app, e);
	const x = place.x - PAD, y = place.y - axisY(v);

	if (!v.t.start || (!anywhere && (x < 0 || x > v.inner || y < 0 ||
		y > AXIS_HEIGHT)))
		return null;
	const share = Math.min(1, Math.max(0, x / v.inner)), span = v.hi - v.lo;
	const step = 10 ** Math.floor(Math.log10(span / v.inner));
	return Math.round((v.lo + share * span) / step) * step;
}

function axisY(v) {
	return v.top + rowCount(v.t) * v.m.frameHeight;
}

/* Two places on the scale as the address has them: in units of the axis. */
function rulerText(m, a, b) {
	const unit = 10 ** m.decimals;

	return [Math.min(a, b), Math.max(a, b)].map((x) =>
		+(x / unit).toPrecision(12)).join('-');
}

function parseRuler(m, text) {
	const ends = (text || '').split('-').map((x) =>
		x === '' ? NaN : x * 10 ** m.decimals);

	return ends.length === 2 && ends[0] < ends[1] ? ends : null;
}

/* From the rows down to the axis, with its length. */
function drawRuler(app, ends) {
	const { v } = app, { m } = v;

	document.getElementById('ruler')?.remove();
	if (!ends || !v.t.start)
		return;
	const at = (x) => PAD + Math.min(1, Math.max(0,
		(x - v.lo) / (v.hi - v.lo))) * v.inner;
	const [from, to] = ends.map(at), unit = 10 ** m.decimals;
	const text = formatTick((ends[1] - ends[0]) / unit, m.countname);
	const middle = Math.min(Math.max((from + to) / 2, PAD + 30),
		PAD + v.inner - 30);

	app.sheet.append(svg('g', { id: 'ruler' }, [
		svg('title', {}, [text + ', from ' + ends.map((x) =>
			formatTick(x / unit, m.countname)).join(' to ')]),
		svg('rect', { x: px(from), y: px(v.top), width: px(to - from),
			height: px(axisY(v) - v.top + AXIS_HEIGHT) }),
		svg('text', { x: px(middle), y: px(axisY(v) + 13),
			'text-anchor': 'middle' }, [text])]));
}

function listenAxis(app) {
	const { root } = app;
	let from = null;

	root.addEventListener('pointerdown', (e) => {
		const at = e.button === 0 ? placeOnAxis(app, e) : null;

		if (at === null || e.target.closest('foreignObject'))
			return;
		from = { at, id: e.pointerId };
		e.preventDefault();
		e.stopPropagation();
	}, true);
	window.addEventListener('pointermove', (e) => {
		if (from && e.pointerId === from.id)
			drawRuler(app, [from.at, placeOnAxis(app, e, true)]
				.sort((a, b) => a - b));
	});
	for (const end of ['pointerup', 'pointercancel'])
		window.addEventListener(end, (e) => {
			if (!from || e.pointerId !== from.id)
				return;
			const a = from.at, b = placeOnAxis(app, e, true);
			const far = Math.abs(a - b) * app.v.inner >=
				DRAG_PX * (app.v.hi - app.v.lo);

			from = null;
			if (end === 'pointercancel' || !far)
				drawRuler(app, parseRuler(app.v.m, app.s.ruler));
			else if (e.shiftKey)
				app.set({ ruler: rulerText(app.v.m, a, b) });
			else
				app.setWindow(Math.min(a, b), Math.abs(a - b));
		});
}
