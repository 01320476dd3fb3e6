// SPDX-License-Identifier: ISC
// Views of a picture that are made from its frames: callers and callees,
// merged recursion, the table and what it lights.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { begin, choose, click, details, dir, FOLDED, labels, middle, open, picture } from
	'./browser.mjs';

const { page, href, errors } = await begin(FOLDED, '--idle', 'wide');

const amounts = async () => (await labels(page)).map((s) =>
	s.replace(/ samples.*/, '').replace(', ', ' '));
const rows = () => page.$$eval('tbody tr', (all) => all.map((r) =>
	[...r.cells].map((c) => c.textContent).join(' ')));

test('callers and callees stand on two sides of a function', async () => {
	await click(page, 'read', { button: 'right' });
	await page.click('text=Callers and callees');
	assert.deepEqual(await amounts(), ['read 50', 'copy 40', 'lock 10', 'main 50',
		'CPU#0 40', 'CPU#1 10']);
	const y = async (name) => (await middle(page, name)).y;
	assert.ok(await y('copy') < await y('read'));
	assert.ok(await y('read') < await y('main'));
	await page.keyboard.press('i');
	assert.ok(await y('copy') > await y('read'));
	// a caller, and then a callee: the stacks through both
	await click(page, 'CPU#0');
	assert.deepEqual(await amounts(), ['read 40', 'copy 30', 'lock 10', 'main 40',
		'CPU#0 40']);
	await click(page, 'lock');
	assert.deepEqual(await amounts(), ['read 10', 'lock 10', 'main 10', 'CPU#0 10']);
	const link = page.url();
	await open(page, link);
	assert.deepEqual(await amounts(), ['read 10', 'lock 10', 'main 10', 'CPU#0 10']);
	await page.keyboard.press('Escape');
	assert.equal((await labels(page)).length, 6);
	await page.keyboard.press('u');
	assert.equal((await labels(page)).length, 15);
});

test('callers and callees: keys, search and details', async () => {
	await open(page, href + '#sandwich=read');
	const item = () => page.$eval('#frames', (e) => document.getElementById(
		e.getAttribute('aria-activedescendant')).getAttribute('aria-label')
		.split(', ')[0]);
	await page.focus('#frames');
	await page.keyboard.press('Home');
	for (const [key, name] of [['ArrowUp', 'copy'], ['ArrowRight', 'lock'],
		['ArrowDown', 'read'], ['ArrowDown', 'main'], ['ArrowDown', 'CPU#0'],
		['ArrowRight', 'CPU#1'], ['ArrowUp', 'main'], ['ArrowUp', 'read']]) {
		await page.keyboard.press(key);
		assert.equal(await item(), name);
	}
	assert.match(await details(page), /self 0 samples/);
	await page.keyboard.press('ArrowDown');
	assert.doesNotMatch(await details(page), /self/);
	await page.keyboard.press('s'); // those of main
	assert.equal((await amounts())[0], 'main 75');
	// a stack with a match on each side counts once
	await open(page, href + '#sandwich=read&regex=1&q=' +
		encodeURIComponent('^(CPU#0|lock)$'));
	await page.waitForFunction(() => /match/.test(
		document.querySelector('.bar .found').textContent));
	assert.equal(await page.textContent('.bar .found'),
		'2 matches, 40.00% of all');
});

test('callers and callees: by leaf, in a picture by leaf, of no function', async () => {
	const y = async (name) => (await middle(page, name)).y;

	await open(page, href + '#sandwich=read&reverse=leaf');
	assert.ok(await y('copy') > await y('read'));
	assert.ok(await y('CPU#0') < await y('read'));
	await click(page, 'CPU#0');
	assert.ok((await amounts()).includes('lock 10'));
	assert.ok((await amounts()).includes('copy 30'));
	await open(page, picture(FOLDED, '--reverse') + '#sandwich=read&table=self');
	assert.deepEqual((await amounts()).sort(), ['CPU#0 40', 'CPU#1 10',
		'copy 40', 'lock 10', 'main 50', 'read 50']);
	assert.ok(await y('copy') > await y('read'));
	assert.match((await rows())[0], /^40 40.00% 40 40.00% copy/);
	await open(page, href + '#sandwich=nothing');
	assert.equal((await labels(page)).length, 15);
});

test('a row of the table leads to callers and callees', async () => {
	await open(page, href + '#table=total');
	await page.click('[aria-label="Callers and callees of copy"]');
	assert.deepEqual((await amounts())[0], 'copy 45');
	assert.ok((await rows()).includes('0 0.00% 40 40.00% read'));
});

test('the table has the totals of kst-top and kst-diff', async () => {
	const csv = (...command) => execFileSync(command[0], command.slice(1), {
		stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim()
		.split('\n').slice(1).map((line) => line.split(','));
	const file = join(dir, 'totals.folded');

	writeFileSync(file, FOLDED);
	await open(page, href + '#table=total');
	const shown = (await rows()).map((r) => r.split(' '))
		.map(([self, , total, , name]) => [name, self, total]).sort();
	assert.equal(shown.length, 9);
	assert.deepEqual(shown, csv('kst-top', '-a', '--csv', file)
		.map((r) => r.slice(0, 3)).sort());
	assert.deepEqual(shown.map(([name, , total]) => [name, total]),
		csv('kst-diff', '-a', '--csv', file, file)
			.map((r) => r.slice(0, 2)).sort());
});

test('what is under the mouse is lit in picture and table', async () => {
	const lit = () => page.evaluate(() => ({
		same: (document.querySelector('#lit .same')?.getAttribute('d') || '')
			.split('M').length - 1,
		under: document.querySelectorAll('#lit .under').length,
		row: document.querySelector('tr.lit td:last-child')?.textContent }));
	await page.setViewportSize({ width: 1200, height: 1200 });
	await open(page, href + '#table=total');
	const at = await middle(page, 'copy');
	await page.mouse.move(at.x, at.y);
	assert.deepEqual(await lit(), { same: 3, under: 1, row: 'copy' });
	await page.hover('tr:has-text("main") .link');
	assert.deepEqual(await lit(), { same: 2, under: 0, row: 'main' });
	await page.mouse.move(5, 5);
	assert.deepEqual(await lit(), { same: 0, under: 0, row: undefined });
	await page.focus('[aria-label="Show only idle"]');
	assert.equal((await lit()).same, 1);
	// the colour of a row is that of its frames
	const colour = (selector) => page.$eval(selector, (e) =>
		getComputedStyle(e)[e.localName === 'rect' ? 'fill' : 'backgroundColor']);
	assert.equal(await colour('tr:has-text("idle") .dot'), await colour(
		'g[aria-label^="idle,"] rect'));
	await page.setViewportSize({ width: 1200, height: 800 });
});

test('a part of the picture has a map of the whole', async () => {
	const map = () => page.isVisible('.map');
	const part = () => page.$eval('.map rect', (e) =>
		e.getAttribute('x') / e.parentNode.getBoundingClientRect().width);

	assert.equal(await map(), false);
	await click(page, 'idle');
	assert.equal(await map(), true);
	assert.ok(Math.abs(await part() - 0.6) < 0.003);
	const box = await (await page.$('.map')).boundingBox();
	await page.mouse.move(box.x + box.width * 0.4, box.y + 10);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.2, box.y + 10, { steps: 3 });
	await page.mouse.up();
	assert.ok(Math.abs(await part() - 0.075) < 0.003, String(await part()));
	await page.waitForFunction(() => /window=0\.07/.test(location.hash));
	await page.keyboard.press('Escape');
	assert.equal(await map(), false);
});

test('frames below a count or share are hidden, sums stay', async () => {
	await open(page, href + '#min=15');
	assert.deepEqual(await amounts(), ['all 100', 'CPU#0 60', 'main 60', 'read 40',
		'copy 30', 'write 20', 'CPU#1 40', 'idle 25', 'main 15']);
	await open(page, href + '#min=26%25');
	assert.equal((await amounts()).length, 6);
	await open(page, href + '#min=1.2.3');
	assert.equal((await labels(page)).length, 15);
	await open(page, href + '#min=15&q=lock');
	assert.equal(await page.textContent('.bar .found'), '1 match, 10.00% of all');
});

test('what is shown can be saved as SVG and PNG', async () => {
	await open(page, href + '#zoom=CPU%230&theme=dark');
	const save = async (kind) => {
		const [file] = await Promise.all([page.waitForEvent('download'),
			page.selectOption('[aria-label="Save what is shown"]', kind)]);
		const path = join(dir, file.suggestedFilename());

		await file.saveAs(path);
		return path;
	};
	const path = await save('svg');
	assert.match(path, /Flame-Graph\.svg$/);
	execFileSync('xmllint', ['--noout', path]);
	const text = readFileSync(path, 'utf8');
	assert.match(text, />lock</);
	assert.doesNotMatch(text, /recurse|<script|<style|foreignObject|Search/);
	// drawn elsewhere and as PNG it is dark
	execFileSync('rsvg-convert', ['-o', path + '.png', path]);
	for (const png of [path + '.png', await save('png')]) {
		const [r, g, b] = execFileSync('convert', [png, '-format',
			'%[fx:int(255*p{2,2}.r)] %[fx:int(255*p{2,2}.g)] %[fx:int(255*p{2,2}.b)]',
			'info:'], { encoding: 'utf8' }).split(' ').map(Number);
		assert.ok(r < 40 && g < 40 && b < 45, `${png} ${r} ${g} ${b}`);
		const size = execFileSync('identify', ['-format', '%w', png],
			{ encoding: 'utf8' });
		assert.equal(+size, png.endsWith('.svg.png') ? 1200 : 2400);
	}
	// the page is as before
	assert.equal((await labels(page)).length, 7);
	assert.ok(await page.isVisible('#toolbar'));
});

test('direct recursion is merged on request', async () => {
	await open(page, href + '#recursion=merged');
	const all = await amounts();
	assert.equal(all.filter((s) => s === 'recurse 5').length, 1);
	assert.equal(all.length, 14);
});

test('runs of calls stand in one row where all do not fit', async () => {
	const path = Array.from({ length: 60 }, (x, i) => (i < 40 ? 'net_f' : 'vfs_f') + i).join(';');
	const file = picture(`${path} 98\n${path.replace(/;net_f30.*/, ';own')} 1\nb 20\n`, '-c', 'kernel');
	const shown = () => page.$$eval('#frames g[role=treeitem]', (all) => all.map((e) =>
		e.querySelector('text')?.textContent).filter((text) => /_f/.test(text)));
	const edges = () => page.isVisible('#above .edge');

	await open(page, file);
	// of two colours; a frame beside them keeps its row
	assert.deepEqual((await shown()).map((text) => text.slice(0, 15)),
		['net_f0 › net_f1', 'vfs_f40 › vfs_f']);
	assert.match((await shown())[0], /\d ›$/);
	assert.ok(!await edges());
	assert.ok((await labels(page)).includes('own, 1 sample, 0.84% of all'));
	const { x, y } = await page.$eval('#frames [aria-label^="net_f0 › "] rect', (e) => {
		const box = e.getBoundingClientRect();

		return { x: box.x + 300, y: box.y + 5 };
	});
	await page.mouse.move(x, y);
	assert.match(await page.textContent('.tip'), /net_f38 › net_f39.*a click gives each a row$/);
	// a search sees all of them
	await open(page, file + '#q=net_f17$&regex=1');
	await page.waitForSelector('#frames .match');
	await page.waitForFunction(() => /^1 match/.test(document.querySelector('.found').textContent));
	// by a click one, by a key all
	await open(page, file);
	await page.mouse.click(x, y);
	assert.equal((await shown()).length, 41);
	await page.keyboard.press('Escape');
	assert.equal((await shown()).length, 2);
	await page.keyboard.press('e');
	assert.ok(await edges());
	assert.match(page.url(), /#.*runs=apart/);
	assert.match(await page.textContent('#above button'), /^\d+ more rows above$/);
	await page.keyboard.press('e');
	assert.equal((await shown()).length, 2);
	await page.setViewportSize({ width: 1200, height: 1400 });
	await page.waitForFunction(() => document.querySelectorAll('#frames g').length === 63);
	await page.setViewportSize({ width: 1200, height: 800 });
});

test('no error was printed', () => {
	assert.deepEqual(errors, []);
});
