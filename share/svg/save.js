/* SPDX-License-Identifier: ISC */
/* The picture as it is shown, as a file: SVG without a script, or PNG. */
const PNG_SCALE = 2, PNG_MAX = 16000;
const KEPT = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'font-family',
	'font-size', 'font-weight'];

/* All rows, in the colours of the page, without controls and style sheets. */
function drawing(app) {
	const { root } = app;

	app.print(true);
	const copy = root.cloneNode(true);
	const from = root.querySelectorAll('rect,path,text');
	[...copy.querySelectorAll('rect,path,text')].forEach((e, i) => {
		const style = getComputedStyle(from[i]);

		for (const name of KEPT)
			e.setAttribute(name, style.getPropertyValue(name));
		e.removeAttribute('class');
	});
	app.print(false);
	for (const e of copy.querySelectorAll(
		'foreignObject,style,script,metadata,clipPath,#lit,#focus'))
		e.remove();
	for (const e of copy.querySelectorAll('[clip-path],[role],[tabindex]'))
		for (const name of ['clip-path', 'role', 'tabindex'])
			e.removeAttribute(name);
	copy.removeAttribute('data-ready');
	return copy;
}

function download(blob, name) {
	const href = URL.createObjectURL(blob);

	html('a', { href, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(href), 10000);
}

function savePng(copy, blob, name) {
	const width = +copy.getAttribute('width');
	const height = +copy.getAttribute('height');
	const scale = Math.min(PNG_SCALE, PNG_MAX / Math.max(width, height));
	const image = new Image(), href = URL.createObjectURL(blob);

	image.onload = () => {
		const canvas = html('canvas', { width: Math.round(width * scale),
			height: Math.round(height * scale) });

		canvas.getContext('2d').drawImage(image, 0, 0, canvas.width,
			canvas.height);
		URL.revokeObjectURL(href);
		canvas.toBlob((png) => download(png, name));
	};
	image.src = href;
}

/* kind: svg or png. */
function savePicture(app, kind) {
	const copy = drawing(app);
	const name = (document.title || 'flamegraph').replace(/[^\w.-]+/g, '-') +
		'.' + kind;
	const blob = new Blob([new XMLSerializer().serializeToString(copy)],
		{ type: 'image/svg+xml' });

	if (kind === 'png')
		savePng(copy, blob, name);
	else
		download(blob, name);
}
