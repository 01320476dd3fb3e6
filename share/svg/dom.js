/* SPDX-License-Identifier: ISC */
/* Elements, made without markup, so that no text can become any. */
const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';

/* A function becomes a listener. */
function setAttributes(e, attrs) {
	for (const [k, v] of Object.entries(attrs))
		if (typeof v === 'function')
			e.addEventListener(k, v);
		else if (v !== null && v !== false)
			e.setAttribute(k, v === true ? '' : v);
}

function make(ns, tag, attrs, children) {
	const e = document.createElementNS(ns, tag);

	setAttributes(e, attrs || {});
	for (const c of children || [])
		e.append(c);
	return e;
}

function svg(tag, attrs, children) {
	return make(SVG, tag, attrs, children);
}

function html(tag, attrs, children) {
	return make(HTML, tag, attrs, children);
}

/* A part of the page in HTML, at a place in the picture. */
function htmlBox(id, content) {
	return svg('foreignObject', { id, x: 0, y: 0, width: 10, height: 10 },
		[content]);
}

function setBox(box, place) {
	for (const [k, v] of Object.entries(place))
		box.setAttribute(k, Math.max(0, v));
}

/* Where an event is on the page. */
function placeOf(app, e) {
	const box = app.root.getBoundingClientRect();

	return { x: e.clientX - box.left, y: e.clientY - box.top };
}

function px(v) {
	return Math.round(v * 100) / 100;
}
