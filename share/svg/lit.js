/* SPDX-License-Identifier: ISC */
/*
 * What is lit while the mouse is on a frame or on a row of the table: the
 * frame, all others of its name, and its row.
 */
const LIT_MAX = 2000, LIT_PX = 1;

/* The outlines of the frames in sight that have a name, as one path. */
function outlines(v, id) {
	const { t } = v, parts = [];

	eachVisible(t, v.lo, v.hi, v.inner, v.rows, (i, w) => {
		if (t.name[i] !== id || w < LIT_PX || i < v.first ||
			parts.length === LIT_MAX)
			return;
		const box = extentOf(v, i), h = v.m.frameHeight - 2;

		parts.push('M' + px(box.x + 0.5) + ' ' +
			px(rowY(v, t.depth[i]) + 0.5) + 'h' + px(Math.max(0.5,
			box.w - 1.5)) + 'v' + h + 'H' + px(box.x + 0.5) + 'z');
	});
	return parts.join('');
}

function drawLit(v) {
	const { lit, t } = v;

	v.light.replaceChildren();
	if (lit.id < 0)
		return;
	v.light.append(svg('path', { class: 'same', d: outlines(v, lit.id) }));
	if (lit.node < 0 || lit.node >= t.n)
		return;
	const { x, w } = extentOf(v, lit.node);
	v.light.append(svg('rect', { class: 'under', x: px(x),
		y: px(rowY(v, t.depth[lit.node])), width: px(Math.max(1, w - 0.5)),
		height: v.m.frameHeight - 1 }));
}

/* id: the number of a name, or -1 for nothing; node: the frame, or -1. */
function light(app, id, node) {
	const { v } = app;

	if (id === v.lit.id && node === v.lit.node)
		return;
	v.lit = { id, node };
	drawLit(v);
	for (const row of app.tableBox.querySelectorAll('tr[data-id]'))
		row.classList.toggle('lit', +row.dataset.id === id);
}

function lightFrame(app, node) {
	light(app, node < app.v.first ? -1 : app.v.t.name[node], node);
}

/* Rows light their frames, under the mouse as for the keyboard. */
function listenRows(app) {
	const on = (e) => {
		const row = e.target.closest('tr[data-id]');

		light(app, row ? +row.dataset.id : -1, -1);
	};

	for (const type of ['mouseover', 'focusin'])
		app.tableBox.addEventListener(type, on);
	for (const type of ['mouseleave', 'focusout'])
		app.tableBox.addEventListener(type, () => light(app, -1, -1));
}
