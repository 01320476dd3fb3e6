// SPDX-License-Identifier: ISC
// What axe-core finds wrong for people who use a keyboard or a screen reader.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { begin, click, open, picture } from './browser.mjs';

const AXE = readFileSync(createRequire(import.meta.url)
	.resolve('axe-core/axe.min.js'), 'utf8');
const FOLDED = `CPU#0;main;read;copy_[k] 30
CPU#0;main;read;lock 10
CPU#0;main;write 20
CPU#1;idle 25
CPU#1;main;recurse;recurse;copy_[k] 15
`;
const { page } = await begin();

async function violations() {
	await page.evaluate(AXE);
	const { violations: found, passes } = await page.evaluate(() =>
		window.axe.run(document));

	assert.ok(passes.length > 10, 'axe has looked');
	return found.map((v) => v.id + ': ' + v.nodes.map((n) =>
		n.html.slice(0, 120)).join(' | '));
}

const VIEWS = { plain: '', table: '#table=total', sandwich: '#sandwich=main',
	search: '#q=copy', zoomed: '#zoom=CPU%230;main', hidden: '#hide=idle&min=x' };

for (const colorScheme of ['light', 'dark'])
	for (const [name, hash] of Object.entries(VIEWS))
		test(`${name}, ${colorScheme}`, async () => {
			await page.emulateMedia({ colorScheme });
			await open(page, picture(FOLDED, '-c', 'kernel') + hash);
			assert.deepEqual(await violations(), []);
		});

test('menu and help', async () => {
	await open(page, picture(FOLDED));
	await click(page, 'read', { button: 'right' });
	assert.deepEqual(await violations(), []);
	await page.keyboard.press('Escape');
	await page.keyboard.press('?');
	assert.deepEqual(await violations(), []);
});

test('before and after, and time', async () => {
	await open(page, picture('a 1 2\nb 3 1\n') + '#table=change');
	assert.deepEqual(await violations(), []);
	await open(page, picture('[0.000s];CPU#0;a 1\n[1.000s];CPU#0;b 2\n'));
	assert.ok(await page.$('#strip[role=slider]'));
	assert.deepEqual(await violations(), []);
});
