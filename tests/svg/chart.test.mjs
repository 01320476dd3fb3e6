// SPDX-License-Identifier: ISC
// Flame charts: tracks one above the other, gaps, the axis and its ruler.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { begin, eventually, labels, middle, open, picture } from
	'./browser.mjs';

const MS = 1000000;
// On CPU 0 100 ms of a, a gap of 200, 100 of a again, 200 of b; CPU 1 from 50 on
const FOLDED = `CPU#0;main;a ${100 * MS}
CPU#0 ${200 * MS}
CPU#0;main;a ${100 * MS}
CPU#0;main;b ${200 * MS}
CPU#1 ${50 * MS}
CPU#1;idle ${350 * MS}
CPU#1;main;b ${100 * MS}
#kst:unit=ns,order=time
`;
const { page, href, errors } = await begin(FOLDED, '--flamechart', '--inverted');

// `name y x x` of each frame: its row, and where it begins and ends in ms.
const frames = (from = 0, to = 600) => page.$$eval('#frames g[role=treeitem]',
	(all, [a, b]) => all.map((e) => {
		const r = e.firstChild, x = (at) => Math.round((at - 10) / 1180 *
			(b - a) + a);
		const top = all[0].firstChild.getAttribute('y');

		return [e.getAttribute('aria-label').split(', ')[0],
			Math.round((r.getAttribute('y') - top) /
				(+r.getAttribute('height') + 1)),
			x(+r.getAttribute('x')), x(+r.getAttribute('x') +
				+r.getAttribute('width') + 0.5)].join(' ');
	}), [from, to]);
const hash = () => decodeURIComponent(new URL(page.url()).hash);
const axisY = async () => (await page.$$eval('.axis text', (all) =>
	all[0].getBoundingClientRect().y)) + 4;

test('tracks begin together, one above the other; gaps stay', async () => {
	assert.deepEqual(await frames(), ['all 0 0 600', 'CPU#0 1 0 600',
		'main 2 0 100', 'a 3 0 100', 'main 2 300 600', 'a 3 300 400',
		'b 3 400 600', 'CPU#1 4 0 500', 'idle 5 50 400',
		'main 5 400 500', 'b 6 400 500']);
	const all = await labels(page);
	assert.ok(all.includes('all, 1.1 s, 100.00% of all'), String(all));
	// merged again, it is a graph
	await open(page, href + '#order=name');
	assert.equal((await labels(page)).filter((s) =>
		s.startsWith('main,')).length, 2);
	// turned upside down, and without a function
	await open(page, href + '#inverted=flame&hide=idle');
	assert.deepEqual((await frames()).slice(-3), ['CPU#1 -4 0 500',
		'main -5 400 500', 'b -6 400 500']);
});

test('a zoom on one track shows the same time of all', async () => {
	const at = await middle(page, 'b');
	await page.mouse.click(at.x, at.y);
	assert.deepEqual((await frames(400, 600)).filter((s) => /^[ab] /.test(s)),
		['b 3 400 600', 'b 6 400 500']);
});

test('the axis has units; dragging along it zooms, or measures', async () => {
	const ticks = () => page.$$eval('.axis text', (all) =>
		all.map((e) => e.textContent));
	assert.deepEqual((await ticks()).slice(0, 3), ['0', '100 ms', '200 ms']);
	const y = await axisY(), x = (ms) => 10 + 1180 * ms / 600;
	await page.mouse.move(x(300), y);
	await page.mouse.down();
	await page.mouse.move(x(390), y, { steps: 3 });
	assert.equal(await page.textContent('#ruler text'), '90 ms');
	await page.mouse.up();
	assert.equal(await page.$('#ruler'), null);
	await eventually(async () => assert.match(hash(), /^#window=0.5-0.65/));
	assert.deepEqual((await frames(300, 390)).filter((s) => /^a /.test(s)),
		['a 3 300 390']);
	await page.keyboard.press('Escape');
	await page.keyboard.down('Shift');
	await page.mouse.move(x(450), await axisY());
	await page.mouse.down();
	await page.mouse.move(x(400), await axisY(), { steps: 3 });
	await page.mouse.up();
	await page.keyboard.up('Shift');
	assert.equal(await page.textContent('#ruler text'), '50 ms');
	await eventually(async () => assert.match(hash(), /^#ruler=4\d+-4\d+$/));
	await open(page, href + '#ruler=100000000-300000000');
	assert.equal(await page.textContent('#ruler title'),
		'200 ms, from 100 ms to 300 ms');
	await page.keyboard.press('Escape');
	assert.equal(await page.$('#ruler'), null);
	for (const bad of ['3-1', 'x', '-', '1']) {
		await open(page, href + '#ruler=' + bad);
		assert.equal(await page.$('#ruler'), null);
	}
	// the wheel zooms there without a key
	await page.mouse.move(x(300), await axisY());
	await page.mouse.wheel(0, -200);
	await eventually(async () => assert.match(hash(), /^#window=/));
});

test('nothing has failed', () => assert.deepEqual(errors, []));
