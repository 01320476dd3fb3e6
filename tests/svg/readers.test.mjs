// SPDX-License-Identifier: ISC
// What other programs make of folded text with a trailer.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Resvg } from '@resvg/resvg-js';
import Ajv from 'ajv';
import { Profile } from 'pprof-format';
import { dir, launch, picture } from './browser.mjs';

const release = join(dirname(createRequire(import.meta.url)
	.resolve('speedscope/package.json')), 'dist/release');
const app = join(release, 'index.html');
const root = new URL('../..', import.meta.url).pathname;
const folded = 'a;b 3\na;c 4\n#kst:unit=samples,captures=7,rate=99\n';

const run = (input, command, ...args) => execFileSync(
	join(process.env.B, command), args, { input, maxBuffer: 1 << 28 });
const capture = () => execFileSync('gzip', ['-dc',
	join(root, 'share/demo/capture.txt.gz')], { maxBuffer: 1 << 28 });

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
	for (const [input, least] of [[readFileSync(join(root,
		'tests/golden/kst-fold/order-time.in')), 10],
	[run(capture(), 'kst-clean'), 5000]]) {
		const text = String(run(input, 'kst-fold', '--order', 'time'));
		const events = eventsOf(text);

		assert.ok(events.length > least, String(events.length));
		assert.deepEqual(await exported(text), events);
	}
});

test('speedscope has a chart of trace events, also of recursion', async () => {
	const text = 'a;b;b 2\na;b 1\nb 2\nb;a;b 1\na;b;a 3\na 1\nb;b 1\n';

	assert.deepEqual(
		await exported(run(text, 'kst-export', '-f', 'trace-events')),
		eventsOf(text));
});

// Of kst-top: name, self, total.
const topOf = (text) => String(run(text, 'kst-top', '--all', '--csv'))
	.trim().split('\n').slice(1).map((line) => line.split(',').slice(0, 3));

test('speedscope shows the totals of kst-top', async () => {
	const text = run(run(capture(), 'kst-clean'), 'kst-fold');
	const rows = await rowsOf(run(text, 'kst-export', '-f', 'speedscope'));
	const number = (cell) => cell.split(' ')[0];

	assert.deepEqual(rows.map(([total, self, name]) =>
		[name, number(self), number(total)]).sort(), topOf(text).sort());
});

test('speedscope shows the costs of callgrind\'s format', async () => {
	const text = 'a;b 3\na;c 4\na;b;c 1\n';
	const rows = await rowsOf(run(text, 'kst-export', '-f', 'callgrind'));
	const number = (cell) => cell.split(' ')[0];

	// [all] calls what begins a stack
	assert.deepEqual(rows.map(([total, self, name]) =>
		[name, number(self), number(total)]).sort(),
	[['[all]', '0', '8'], ...topOf(text)].sort());
});

test('speedscope has events as they began and ended', async () => {
	const text = readFileSync(
		join(root, 'tests/golden/kst-export/from-zero.in'));

	assert.deepEqual(
		await exported(run(text, 'kst-export', '-f', 'speedscope')),
		['O f 0', 'C f 100', 'O g 150', 'C g 190']);
});

test('speedscope\'s schema holds, with hostile names and with events', () => {
	const ajv = new Ajv({ strict: false });
	const valid = ajv.compile(JSON.parse(readFileSync(
		join(release, 'file-format-schema.json'), 'utf8')));
	const golden = (name) => readFileSync(
		join(root, 'tests/golden/kst-export', name + '.in'));

	for (const [text, type] of [[capture(), 'sampled'],
		[golden('speedscope-places'), 'sampled'],
		[golden('speedscope-names'), 'sampled'],
		[golden('speedscope-events'), 'evented']]) {
		const file = JSON.parse(run(text, 'kst-export', '-f', 'speedscope'));

		assert.ok(valid(file), JSON.stringify(valid.errors));
		assert.ok(file.profiles.length > 0);
		assert.ok(file.profiles.every((p) => p.type === type));
	}
});

test('pprof-format reads the same stacks', () => {
	const text = capture();
	const p = Profile.decode(gunzipSync(run(text, 'kst-export', '-f', 'pprof')));
	const string = (i) => p.stringTable.strings[Number(i)];
	const byId = (list) => new Map(list.map((x) => [String(x.id), x]));
	const locations = byId(p.location), functions = byId(p.function);
	const counts = new Map();

	for (const { locationId, value, label } of p.sample) {
		const stack = locationId.map((id) => string(functions.get(String(
			locations.get(String(id)).line[0].functionId)).name));
		const cpu = label.find((l) => string(l.key) === 'cpu');
		const key = [string(cpu.str), ...stack.reverse()].join(';');

		counts.set(key, (counts.get(key) || 0) + Number(value[0]));
	}
	assert.deepEqual([...counts].map(([key, n]) => `${key} ${n}`).sort(),
		String(run(text, 'kst-fold', '--by', 'cpu', '--no-trailer'))
			.trim().split('\n').sort());
});

test('trace events nest, and last as long as events do', () => {
	const text = readFileSync(
		join(root, 'tests/golden/kst-export/trace-events-events.in'));
	const { traceEvents } = JSON.parse(
		run(text, 'kst-export', '-f', 'trace-events'));
	const open = new Map(), self = new Map();

	for (const { ph, tid, ts, name } of traceEvents) {
		const stack = open.get(tid) || { names: [], since: 0 };

		if (ph === 'M')
			continue;
		const key = stack.names.join(';');

		if (key && ts > stack.since)
			self.set(key, (self.get(key) || 0) + (ts - stack.since) * 1000);
		if (ph === 'B')
			stack.names.push(name);
		else
			assert.ok(stack.names.pop());
		stack.since = ts;
		open.set(tid, stack);
	}
	assert.ok([...open.values()].every(({ names }) => names.length === 0));
	assert.deepEqual([...self].map(([key, n]) => `${key} ${Math.round(n)}`).sort(),
		String(run(text, 'kst-span')).trim().split('\n')
			.filter((line) => !line.startsWith('#')).sort());
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
