/* SPDX-License-Identifier: ISC */
/* A small outline of the whole tree, while a part of it is shown. */
const MAP_HEIGHT = 28;

/* The tree's outline as a path, `width` pixels wide. */
function skyline(t, full, width, inverted) {
	const depths = new Float64Array(Math.ceil(width));
	const unit = MAP_HEIGHT / (t.maxDepth + 1), scale = width / full;
	let d = '';

	eachVisible(t, 0, full, width, [t.minDepth, t.maxDepth], (i) => {
		const end = Math.min(depths.length,
			Math.round((t.x[i] + t.width[i]) * scale));

		for (let x = Math.round(t.x[i] * scale); x < end; x++)
			depths[x] = Math.max(depths[x], t.depth[i] + 1);
	});
	depths.forEach((depth, x) => {
		if (x === 0 || depth !== depths[x - 1])
			d += (x ? 'H' + x : 'M0 ' + (inverted ? 0 : MAP_HEIGHT)) +
				'V' + px(inverted ? depth * unit :
				MAP_HEIGHT - depth * unit);
	});
	return d + 'H' + depths.length + 'V' + (inverted ? 0 : MAP_HEIGHT) + 'z';
}

function makeMap(app) {
	const { ui } = app;
	const move = (e) => {
		const { v } = app, box = ui.map.getBoundingClientRect();
		const span = v.hi - v.lo;

		if (e.buttons & 1)
			app.setWindow((e.clientX - box.left) / box.width * v.full -
				span / 2, span);
	};

	ui.sky = svg('path', {});
	ui.part = svg('rect', { y: 0, height: MAP_HEIGHT });
	ui.map = svg('svg', { class: 'map', height: MAP_HEIGHT,
		'aria-hidden': 'true', pointerdown: (e) => {
			ui.map.setPointerCapture(e.pointerId);
			move(e);
		}, pointermove: move }, [ui.sky, ui.part]);
	return ui.map;
}

/* Shows what part of the whole is in the window, if it is not the whole. */
function updateMap({ ui, v }) {
	const part = v.hi - v.lo < v.full * (1 - 1e-9);
	const width = ui.map.getBoundingClientRect().width;

	ui.map.style.visibility = part ? '' : 'hidden'; /* frames stay in place */
	if (!part || !width)
		return;
	if (v.map?.t !== v.t || v.map.width !== width ||
		v.map.inverted !== v.inverted) {
		v.map = { t: v.t, width, inverted: v.inverted };
		ui.sky.setAttribute('d', skyline(v.t, v.full, width, v.inverted));
	}
	ui.part.setAttribute('x', px(v.lo / v.full * width));
	ui.part.setAttribute('width', px(Math.max(3,
		(v.hi - v.lo) / v.full * width)));
}
