// SPDX-License-Identifier: ISC
// What other programs make of folded text with a trailer.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Resvg } from '@resvg/resvg-js';
import { dir, launch, picture } from './browser.mjs';

const app = join(dirname(createRequire(import.meta.url)
	.resolve('speedscope/package.json')), 'dist/release/index.html');
const folded = 'a;b 3\na;c 4\n#kst:unit=samples,captures=7,rate=99\n';

let context;

before(async () => { context = await launch(); });
after(async () => { await context.close(); });

// A page with a profile, which begins in the order of time.
async function opened(text) {
	const page = await context.newPage();
	const file = join(dir, 'profile.js');

	writeFileSync(file, `speedscope.loadFileFromBase64("x.folded", "${
		Buffer.from(text).toString('base64')}")`);
	await page.goto(pathToFileURL(app) + '#localProfilePath=' + file);
	return page;
}

// The rows of speedscope's table of functions: total, self, name.
async function rowsOf(text) {
	const page = await opened(text);

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

// What is open when, by our lines: `O name at` and `C name at`.
function eventsOf(text) {
	const events = [];
	let open = [], now = 0;
	const change = (stack) => {
		let same = 0;

		while (same < open.length && open[same] === stack[same])
			same++;
		while (open.length > same)
			events.push(`C ${open.pop()} ${now}`);
		for (const name of stack.slice(same)) {
			open.push(name);
			events.push(`O ${name} ${now}`);
		}
	};

	for (const line of text.split('\n')) {
		const [, stack, n] = /^([^#].*) (\d+)$/.exec(line) || [];

		if (!stack)
			continue;
		change(stack.split(';'));
		now += +n;
	}
	change([]);
	return events;
}

// The same, as speedscope exports its view in the order of time.
async function exported(text) {
	const page = await opened(text);

	await page.getByText('Time Order').waitFor();
	const [download] = await Promise.all([page.waitForEvent('download'),
		page.keyboard.press('Control+s')]);
	const { shared, profiles } = JSON.parse(
		readFileSync(await download.path(), 'utf8'));
	await page.close();
	assert.equal(profiles.length, 1);
	assert.equal(profiles[0].type, 'evented');
	return profiles[0].events.map(({ type, frame, at }) =>
		`${type} ${shared.frames[frame].name} ${at}`);
}

test('speedscope has a chart\'s frames in the same order, as long', async () => {
	const root = new URL('../..', import.meta.url).pathname;
	const run = (input, command, ...args) => execFileSync(
		join(process.env.B, command), args, { input, maxBuffer: 1 << 28 });
	const demo = run(execFileSync('gzip', ['-dc',
		join(root, 'share/demo/capture.txt.gz')], { maxBuffer: 1 << 28 }),
	'kst-clean');

	for (const [input, least] of [[readFileSync(join(root,
		'tests/golden/kst-fold/order-time.in')), 10], [demo, 5000]]) {
		const text = String(run(input, 'kst-fold', '--order', 'time'));
		const events = eventsOf(text);

		assert.ok(events.length > least, String(events.length));
		assert.deepEqual(await exported(text), events);
	}
});

test('resvg draws the same colours', () => {
	const file = picture('a;b 1000\na;e_[k] 300\nc_[j] 400\n', '-c', 'kernel');
	const { pixels } = new Resvg(readFileSync(fileURLToPath(file), 'utf8')).render();
	const colour = (x, y) => [...pixels.subarray((y * 1200 + x) * 4,
		(y * 1200 + x) * 4 + 3)].map((c) => c.toString(16)).join('');

	assert.deepEqual([[600, 5], [600, 85], [400, 67], [800, 49], [1100, 67]]
		.map(([x, y]) => colour(x, y)),
	['ffffff', 'd7dbe1', 'd9d2c6', 'dfac80', 'afddaf']);
});
