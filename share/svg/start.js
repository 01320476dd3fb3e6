/* SPDX-License-Identifier: ISC */
/* How a picture begins: in a document of its own, or pasted into a page. */

function start() {
	const root = document.documentElement;

	if (root.namespaceURI !== SVG) {
		embed(document.currentScript.closest('svg'));
		return;
	}
	if (!document.getElementById('frames'))
		return;
	root.prepend(html('meta', { name: 'viewport', content:
		'width=device-width,initial-scale=1,minimum-scale=1' }));
	const app = new App(root, loadModel(document));

	listen(app);
	root.classList.remove('js');
	app.fromAddress();
	app.showStart();
	root.dataset.ready = '1';
	tellDrawn();
}

/*
 * A picture that was pasted into a page of HTML moves into a frame of its own:
 * its style, keys and address are then not the page's, nor another picture's.
 */
const TOOLS_HEIGHT = 130; /* pixels, of what the script adds above it */

function embed(picture) {
	const href = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(picture)],
		{ type: 'image/svg+xml' }));
	const frame = html('iframe', { src: href, title: picture.querySelector('title').textContent });

	Object.assign(frame.style, { display: 'block', width: '100%', height: '0', border: '0' });
	/* where a frame is not allowed, the picture stays as it is */
	window.addEventListener('message', (e) => {
		if (e.source !== frame.contentWindow || e.data !== DRAWN)
			return;
		frame.style.height = Math.min(picture.viewBox.baseVal.height + TOOLS_HEIGHT,
			Math.max(window.innerHeight, 400)) + 'px';
		picture.remove();
	});
	picture.after(frame);
}

const DRAWN = 'kst: drawn';

/* Tells the page around a frame that there is something to see. */
function tellDrawn() {
	if (window.parent !== window)
		window.parent.postMessage(DRAWN, '*');
}
