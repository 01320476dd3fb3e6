// SPDX-License-Identifier: ISC
// What other programs make of folded text with a trailer.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { dir, launch } from './browser.mjs';

const app = join(dirname(createRequire(import.meta.url)
	.resolve('speedscope/package.json')), 'dist/release/index.html');
const folded = 'a;b 3\na;c 4\n# kst unit=samples captures=7 rate=99\n';

let context;

before(async () => { context = await launch(); });
after(async () => { await context.close(); });

// The rows of speedscope's table of functions: total, self, name.
async function rowsOf(text) {
	const page = await context.newPage();
	const file = join(dir, 'profile.js');

	writeFileSync(file, `speedscope.loadFileFromBase64("x.folded", "${
		Buffer.from(text).toString('base64')}")`);
	await page.goto(pathToFileURL(app) + '#localProfilePath=' + file);
	await page.getByText('Sandwich').click();
	await page.waitForSelector('table');
	const rows = await page.$$eval('tr', (all) => all.map((row) =>
		[...row.children].map((cell) => cell.innerText.trim())));
	await page.close();
	return rows.filter((row) => row.length === 3).slice(1).sort();
}

test('speedscope passes the trailer by', async () => {
	const rows = await rowsOf(folded);

	assert.deepEqual(rows.map((row) => row[2]).sort(), ['a', 'b', 'c']);
	assert.ok(rows.some((row) => row[0].startsWith('7 (100%)')));
	assert.deepEqual(rows, await rowsOf(folded.replace(/^#.*\n/m, '')));
});
