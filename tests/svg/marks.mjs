// SPDX-License-Identifier: ISC
// Measures a large picture in the browser: node marks.mjs FILE.svg ...
// Times are to the second animation frame after the action: painted.
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { launch } from './browser.mjs';

const painted = () => new Promise((done) =>
	requestAnimationFrame(() => requestAnimationFrame(done)));

async function timed(page, action, ...args) {
	return page.evaluate(`(async () => {
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

async function measure(context, file) {
	const page = await context.newPage(), loads = [];

	for (let i = 0; i < 5; i++) {
		await page.goto('about:blank');
		const start = Date.now();
		await page.goto(pathToFileURL(file).href);
		await page.waitForSelector('svg[data-ready]');
		await page.evaluate(painted);
		loads.push(Date.now() - start);
	}
	const zoom = [], back = [], search = [];
	for (let i = 0; i < 7; i++) {
		zoom.push(await timed(page, zoomIn));
		back.push(await timed(page, key, 'Escape'));
		search.push(await timed(page, type, 'alloc' + 'abcdefg'[i]));
		search.push(await timed(page, type, 'a'));
		await timed(page, type, '');
	}
	say('load and first paint', median(loads), 1000);
	say('zoom', median(zoom), 100);
	say('unzoom', median(back), 100);
	say('search', median(search), 200);
	if (await page.$('#strip')) {
		const range = [];

		await timed(page, step, 'ArrowRight');
		for (let i = 0; i < 9; i++)
			range.push(await timed(page, step, 'ArrowRight'));
		say('the next piece of time', median(range), 100);
		say('back to all of the time', await timed(page, step, 'Escape'), 100);
		const half = '#time=0-' + await page.$eval('#strip', (e) =>
			e.getAttribute('aria-valuemax') / 2);
		say('half of the time', await timed(page, (hash) => {
			location.hash = hash;
		}, half), 100);
	}
	say('by leaf', await timed(page, choose, 'Merge from', 'leaf'), '-');
	await timed(page, choose, 'Merge from', 'root');
	say('order by width', await timed(page, choose, 'Order', 'width'), '-');
	say('file', statSync(file).size / 1e6, 8, 'MB');
	say('nodes in the document', await page.evaluate(() =>
		document.querySelectorAll('*').length), 5000, '  ');
	await page.close();
}

const context = await launch({ width: 1280, height: 900 });
for (const file of process.argv.slice(2))
	await measure(context, file);
await context.close();
