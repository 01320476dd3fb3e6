// SPDX-License-Identifier: ISC
// Measures a large picture in browsers: node marks.mjs FILE.svg ...
// Times are to the second animation frame after the action: painted.
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { launch } from './browser.mjs';
import { launchDriver } from './webdriver.mjs';

const KINDS = (process.env.BROWSERS || 'chromium firefox webkit').split(' ');
const SIZE = { width: 1280, height: 900 };

const painted = () => new Promise((done) =>
	requestAnimationFrame(() => requestAnimationFrame(done)));

// A page as it is used here: run() takes the text of an expression.
async function pageOf(kind) {
	if (kind === 'chromium') {
		const context = await launch(SIZE), page = context.pages()[0];

		return { go: (href) => page.goto(href),
			run: (text) => page.evaluate(text),
			close: () => context.close() };
	}
	const page = await launchDriver(kind, SIZE);
	return { go: (href) => page.go(href),
		run: (text) => page.evaluate(`() => ${text}`),
		close: () => page.close() };
}

function call(page, action, ...args) {
	return page.run(`(${action})(...${JSON.stringify(args)})`);
}

async function timed(page, action, ...args) {
	return page.run(`(async () => {
		const start = performance.now();
		(${action})(...${JSON.stringify(args)});
		await (${painted})();
		return performance.now() - start;
	})()`);
}

const median = (v) => v.sort((a, b) => a - b)[Math.floor(v.length / 2)];

function say(what, value, mark, unit = 'ms') {
	console.log(`${what.padEnd(34)} ${value.toFixed(unit === 'ms' ? 0 : 1)
		.padStart(7)} ${unit}  mark ${mark} ${unit}`);
}

const zoomIn = () => {
	const all = [...document.querySelectorAll('#frames g[role=treeitem]')];
	const e = all[Math.min(20, all.length - 1)].firstChild;
	const b = e.getBoundingClientRect();

	e.dispatchEvent(new MouseEvent('click', { bubbles: true,
		clientX: b.x + b.width / 2, clientY: b.y + b.height / 2 }));
};
const key = (name) => document.dispatchEvent(
	new KeyboardEvent('keydown', { key: name, bubbles: true }));
const type = (text) => {
	const input = document.querySelector('input[type=search]');

	input.value = text;
	input.dispatchEvent(new Event('input', { bubbles: true }));
};
const step = (name) => document.getElementById('strip').dispatchEvent(
	new KeyboardEvent('keydown', { key: name }));
const choose = (label, value) => {
	const e = document.querySelector(`[aria-label="${label}"]`);

	e.value = value;
	e.dispatchEvent(new Event('change', { bubbles: true }));
};
const ready = () => {
	if (!document.documentElement.dataset.ready)
		throw new Error('the script has not drawn');
};

// The marks of Firefox and WebKit are twice those of Chromium.
async function measure(page, href, times) {
	const loads = [], zoom = [], back = [], search = [];

	for (let i = 0; i < 5; i++) {
		await page.go('about:blank');
		const start = Date.now();
		await page.go(href);
		await call(page, ready);
		await call(page, painted);
		loads.push(Date.now() - start);
	}
	for (let i = 0; i < 7; i++) {
		zoom.push(await timed(page, zoomIn));
		back.push(await timed(page, key, 'Escape'));
		search.push(await timed(page, type, 'alloc' + 'abcdefg'[i]));
		search.push(await timed(page, type, 'a'));
		await timed(page, type, '');
	}
	say('load and first paint', median(loads), 800 * times);
	say('zoom', median(zoom), 80 * times);
	say('unzoom', median(back), 150 * times);
	say('search', median(search), 150 * times);
	if (await call(page, () => !!document.getElementById('strip'))) {
		const range = [];

		await timed(page, step, 'ArrowRight');
		for (let i = 0; i < 9; i++)
			range.push(await timed(page, step, 'ArrowRight'));
		say('the next piece of time', median(range), 100 * times);
		say('back to all of the time', await timed(page, step, 'Escape'),
			100 * times);
		const half = '#time=0-' + await call(page, () => document
			.getElementById('strip').getAttribute('aria-valuemax') / 2);
		say('half of the time', await timed(page, (hash) => {
			location.hash = hash;
		}, half), 100 * times);
	}
	await call(page, () => document.querySelector('[aria-label=View]').click());
	say('by leaf', await timed(page, choose, 'Merge from', 'leaf'), '-');
	await timed(page, choose, 'Merge from', 'root');
	say('order by width', await timed(page, choose, 'Order', 'width'), '-');
	say('nodes in the document', await call(page, () =>
		document.querySelectorAll('*').length), 5000, '  ');
}

for (const kind of KINDS) {
	const page = await pageOf(kind);

	for (const file of process.argv.slice(2)) {
		console.log(`${kind}: ${file}`);
		say('file', statSync(file).size / 1e6, 6, 'MB');
		await measure(page, pathToFileURL(file).href,
			kind === 'chromium' ? 1 : 2);
	}
	await page.close();
}
process.exit();
