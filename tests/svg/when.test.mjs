// SPDX-License-Identifier: ISC
// The strip of time: ranges by mouse, keyboard and link, two of them compared,
// where a function ran, and what a cell says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { begin, click, eventually, labels, middle, open, picture } from
	'./browser.mjs';

// On CPU 0 a second of A and two of B; CPU 1 is idle until second 2.
const FOLDED = [0, 1, 2].flatMap((s) => [
	`[${s}.000s];CPU#0;running;kmain;${s < 1 ? 'work_a' : 'work_b'};spin ${90 + s}`,
	`[${s}.000s];CPU#0;running;kmain;tick 10`,
	s < 2 ? `[${s}.000s];CPU#1;halted;kmain;idle 100` :
		'[2.000s];CPU#1;running;kmain;work_b;spin 100']).join('\n') +
	'\n#kst:unit=samples,captures=300,piece=1\n';
const { page, href, errors } = await begin(FOLDED, '-c', 'kernel', '--idle', 'wide');

const amounts = async () => (await labels(page)).map((s) =>
	s.replace(/ samples.*/, '').replace(', ', ' '));
const hash = () => decodeURIComponent(new URL(page.url()).hash);
const box = () => page.$eval('#strip .hit', (e) => {
	const b = e.getBoundingClientRect();

	return { x: b.x, y: b.y, width: b.width, height: b.height };
});

// A point at so many seconds, in the middle of a CPU's row.
async function point(seconds, cpu = 0) {
	const b = await box();

	return [b.x + b.width * seconds / 3, b.y + 24 * (cpu + 0.5)];
}

async function drag(from, to) {
	await page.mouse.move(...await point(from));
	await page.mouse.down();
	await page.mouse.move(...await point(to), { steps: 3 });
	await page.mouse.up();
}

test('without a range the graph is that of all the time', async () => {
	assert.deepEqual(await amounts(), ['all 603', 'halted 200', 'kmain 200',
		'idle 200', 'running 403', 'kmain 403', 'tick 30', 'work_a 90',
		'spin 90', 'work_b 283', 'spin 283']);
});

const SECOND_1 = ['all 201', 'halted 100', 'kmain 100', 'idle 100',
	'running 101', 'kmain 101', 'tick 10', 'work_b 91', 'spin 91'];

test('a range is dragged, linked, and cleared', async () => {
	await drag(1.2, 1.7);
	assert.deepEqual(await amounts(), SECOND_1);
	await eventually(async () => assert.equal(hash(), '#time=1-2'));
	const chips = () => page.textContent('.chips');
	assert.match(await chips(), /1 s to 2 s/);
	// shares, the search and the table are of the range
	await page.keyboard.press('/');
	await page.keyboard.type('idle');
	await eventually(async () => assert.match(
		await page.textContent('.found'), /^1 match, 49.75% of all$/));
	await open(page, href + '#time=1-2&table=total');
	assert.deepEqual(await amounts(), SECOND_1);
	assert.match(await page.textContent('caption'), /^7 functions/);
	// a link from a picture of other pieces
	await open(page, href + '#time=0.8-2.1');
	assert.deepEqual(await amounts(), SECOND_1);
	await page.click('.chip button');
	assert.equal((await amounts())[0], 'all 603');
	for (const bad of ['2-1', 'x', '5-6', '-1', '1-1', 'NaN-NaN']) {
		await open(page, href + '#time=' + bad);
		assert.equal((await amounts())[0], 'all 603');
	}
});

test('what is said of the whole capture goes with a range', async () => {
	const said = () => page.$$eval('#foot>.note', (all) => all
		.filter((e) => e.getClientRects().length).map((e) => e.textContent));

	await open(page, picture(FOLDED.replace('captures=', 'seconds=3,captures=')));
	assert.deepEqual(await said(), ['300 captures at 100 Hz']);
	await drag(1.2, 1.7);
	assert.deepEqual(await said(), []);
	await page.click('.chip button');
	assert.equal((await said()).length, 1);
	await open(page, href + '#focus=nosuch');
	assert.match(await page.textContent('.chips'), /not here: nosuch/);
	await open(page, href);
});

test('the keyboard moves, widens and clears a range', async () => {
	await page.focus('#strip');
	await page.keyboard.press('ArrowRight');
	assert.equal((await amounts())[0], 'all 200');
	await page.keyboard.press('ArrowRight');
	assert.deepEqual(await amounts(), SECOND_1);
	await page.keyboard.press('Shift+ArrowRight');
	assert.equal((await amounts())[0], 'all 403');
	const value = () => page.getAttribute('#strip', 'aria-valuetext');
	assert.equal(await value(), '1 s to 3 s');
	await page.keyboard.press('ArrowRight');
	assert.equal(await value(), '1 s to 3 s');
	await page.keyboard.press('Shift+ArrowLeft');
	await page.keyboard.press('ArrowLeft');
	assert.equal(await value(), '0 to 1 s');
	await page.keyboard.press('Escape');
	assert.equal((await amounts())[0], 'all 603');
	assert.equal(await value(), 'all of the time');
});

// What the legend says, and the colour of a key.
const legend = () => page.$$eval('#foot g>text', (all) => all.filter((e) =>
	e.getClientRects().length > 0).map((e) => e.textContent));
const key = (text) => page.$$eval('#foot g>g', (all, wanted) =>
	getComputedStyle(all.find((e) => e.textContent === wanted)
		.querySelector('rect')).fill.match(/\d+/g).join(), text);

test('two ranges are compared, by shares', async () => {
	const own = await legend();
	assert.ok(own.includes('idle'), String(own));
	await drag(0.2, 0.4);
	await page.keyboard.down('Shift');
	await drag(1.2, 2.8);
	await page.keyboard.up('Shift');
	await eventually(async () => assert.equal(hash(), '#time=0-1&versus=1-3'));
	const all = await labels(page);
	const label = (name) => all.find((s) => s.startsWith(name + ','));
	assert.match(label('all'), /200 → 403 samples/);
	assert.match(label('work_a'), /90 → 0 samples.*45.00% → 0.00%/);
	assert.match(label('work_b'), /0 → 283 samples.*0.00% → 70.22%/);
	// the change colours: less is blue, more is orange
	const colour = async (name) => {
		const at = await middle(page, name);

		return page.evaluate(({ x, y }) => getComputedStyle(
			document.elementsFromPoint(x, y).find((e) =>
				e.localName === 'rect' && e.closest('#frames'))).color
			.match(/\d+/g).map(Number), at);
	};
	const [a, b] = [await colour('work_a'), await colour('work_b')];
	assert.ok(a[2] > a[0] && b[0] > b[2], `${a} ${b}`);
	assert.deepEqual(await legend(), ['1 s to 3 s compared with 0 to 1 s',
		'−5%', '−1%', '−0.2%', 'less', 'no change beyond noise', 'more',
		'+0.2%', '+1%', '+5% of all']);
	assert.deepEqual([await key('−5%'), await key('+5% of all')],
		[a, b].map(String));
	assert.deepEqual(await page.$$eval('.chips>button', (v) => v.map((e) => e.textContent)),
		['spin +25.22 points', 'idle −25.19 points']);
	const link = page.url();
	await open(page, link);
	assert.deepEqual(await labels(page), all);
	await page.click('text=spin +25.22 points');
	assert.match(await page.textContent('.bar .found'), /^2 matches, /);
	await page.keyboard.press('Escape');
	await open(page, link);
	// the second range is the one that moves; Escape clears both
	await page.focus('#strip');
	await page.keyboard.press('Shift+ArrowLeft');
	await eventually(async () => assert.equal(hash(), '#time=0-1&versus=1-2'));
	await page.keyboard.press('Escape');
	await eventually(async () => assert.equal(hash(), ''));
	assert.deepEqual(await legend(), own);
	// the button and the key
	await open(page, href + '#time=0-1');
	await page.click('text=Compare');
	await eventually(async () => assert.equal(hash(), '#time=0-1&versus=1-2'));
	await open(page, href + '#time=2-3');
	await page.focus('#strip');
	await page.keyboard.press('c');
	await eventually(async () => assert.equal(hash(), '#time=2-3&versus=1-2'));
});

test('a function shows when it ran, a cell what it holds', async () => {
	const marks = () => page.$eval('#strip .ran', (e) =>
		(e.getAttribute('d') || '').split('M').length - 1);
	const hover = async (name) => {
		const at = await middle(page, name);

		await page.mouse.move(at.x, at.y);
	};
	await hover('work_a');
	assert.equal(await marks(), 1);
	await hover('work_b');
	assert.equal(await marks(), 3);
	// its share of each CPU, and in each second: the highest is 192 of 202
	assert.deepEqual(await page.$$eval('#tip .spark path', (all) => all.map((e) =>
		e.getAttribute('d').match(/v-?[\d.]+/g).map((v) => +v.slice(1)))),
	[[-20.33, -11.22], [0, -15.24, -32]]);
	assert.match(await page.textContent('#tip'), /by CPU, and over time, up to 95.05%$/);
	await hover('all');
	assert.equal(await marks(), 0);
	const tip = () => page.$eval('#tip', (e) => [...e.querySelectorAll(
		'.name,.tip>div')].map((x) => x.textContent));
	await page.mouse.move(...await point(1.5));
	assert.deepEqual(await tip(), ['CPU 0, 1 s to 2 s', '101 samples',
		'100.00% busy', 'spin 90.10%']);
	await page.mouse.move(...await point(0.5, 1));
	assert.deepEqual(await tip(), ['CPU 1, 0 to 1 s', '100 samples',
		'0.00% busy', 'idle 100.00%']);
	await page.mouse.move(5, 5);
	assert.equal(await page.$eval('#tip', (e) => e.style.display), 'none');
});

// `piece row degree` of each cell, of pieces of that width and rows of 24.
const cells = (piece) => page.$$eval('#strip .cells path:not(.failed)', (all,
	width) => all.flatMap((e, degree) => (e.getAttribute('d') || '').split('M')
	.filter((s) => s).flatMap((s) => {
		const [x, y, end] = s.match(/[\d.]+/g).map(Number), found = [];

		for (let at = x; at < end - 1; at += width)
			found.push([Math.round((at - 10) / width),
				Math.floor(y / 24), degree]);
		return found;
	})).sort((a, b) => a[0] - b[0] || a[1] - b[1]), piece);

test('cells are as bright as a CPU was busy, and blank without samples', async () => {
	const lines = [], want = [];
	// CPU 0: half busy, then all; CPU 10: idle, nothing known, busy
	for (let i = 0; i < 10; i++) {
		const busy = i < 5 ? 4 : 8, at = `[${i}.000s];CPU#`;

		if (busy < 8)
			lines.push(`${at}0;halted;m;i ${8 - busy}`);
		lines.push(`${at}0;running;m;f;g${i} ${busy}`);
		want.push([i, 0, busy]);
		if (i < 3 || i > 6) {
			lines.push(`${at}10;${i < 3 ? 'halted;m;i' : 'running;m;f'} 2`);
			want.push([i, 1, i < 3 ? 0 : 8]);
		}
	}
	await open(page, picture(lines.join('\n') + '\n#kst:piece=1\n'));
	assert.deepEqual(await cells(118), want);
	assert.deepEqual(await page.$$eval('#strip .cells>text', (all) =>
		all.map((e) => e.textContent)), ['CPU 0', 'CPU 10']);
	// without halted ones, by the number of samples; other frames: one row
	await open(page, picture('[0.000s];f 8\n[1.000s];CPU#1;f 4\n'));
	assert.deepEqual(await cells(590), [[0, 0, 8], [1, 0, 4]]);
	// very many cells are one row
	await open(page, picture(Array.from({ length: 18000 }, (x, i) =>
		`[${(i / 1e3).toFixed(3).padStart(6, '0')}s];CPU#${i % 64};f 1\n`).join('')));
	assert.equal(await page.$eval('#strip .hit', (e) =>
		+e.getAttribute('height')), 48);
});

test('idle, busy and no sample differ, and the legend says so', async () => {
	await open(page, picture(FOLDED.replace(/.*1\.000s.;CPU#1.*\n/, '')));
	const colour = (selector) => page.$eval(selector, (e) =>
		getComputedStyle(e).fill);
	assert.notEqual(await colour('#strip .idle'), await colour('#strip .busy'));
	assert.deepEqual(await page.$$eval('#keys text', (all) =>
		all.map((e) => e.textContent)), ['no sample', 'idle', 'busy']);
	assert.equal(await page.$eval('#strip .idle', (e) =>
		e.getAttribute('d').match(/M/g).length), 1);
});

test('one click shows the CPUs apart', async () => {
	const together = await amounts();
	const press = () => page.click('[aria-label="A tower for each CPU"]');

	await press();
	assert.deepEqual(await amounts(), ['all 603', 'CPU#0 303', 'running 303',
		'kmain 303', 'tick 30', 'work_a 90', 'spin 90', 'work_b 183',
		'spin 183', 'CPU#1 300', 'halted 200', 'kmain 200', 'idle 200',
		'running 100', 'kmain 100', 'work_b 100', 'spin 100']);
	await eventually(async () => assert.equal(hash(), '#cpus=apart'));
	await drag(2.2, 2.7);
	assert.equal((await amounts())[0], 'all 202');
	await page.focus('#strip');
	await page.keyboard.press('Escape');
	await press();
	assert.deepEqual(await amounts(), together);
	// a stack is hidden on all CPUs, and alone where they are apart
	const cut = async (view, name) => {
		await open(page, href + view);
		const at = await middle(page, name);

		await page.mouse.move(at.x, at.y);
		await page.mouse.click(at.x, at.y, { button: 'right' });
		await page.click('text=Hide this stack');
		return (await amounts())[0];
	};
	assert.equal(await cut('', 'work_b'), 'all 320');
	assert.equal(await cut('#cpus=apart', 'work_b'), 'all 420');
});

test('a capture with times since 1970 has a strip', async () => {
	const capture = Array.from({ length: 400 }, (x, i) =>
		`[kst-capture seq=${i} time=${1763827200 + i / 10} stop-ns=90000]\n` +
		`Thread 1 (Thread 1.1 (CPU#0 [${i % 20 < 10 ? 'running' : 'halted'}])):\n` +
		'#0  spin\n#1  main\n').join('');
	const folded = execFileSync(join(process.env.B, 'kst-fold'),
		['--by', 'time,cpu,state'], { input: capture });
	await open(page, picture(folded));
	const found = await cells(1);
	assert.ok(found.some(([, , degree]) => degree === 8));
	assert.ok(found.some(([, , degree]) => degree === 0));
	assert.equal((await amounts())[0], 'all 400');
});

test('failed samples are marked, and the tooltip says them', async () => {
	await open(page, picture(FOLDED + '#kst:[1.000s],failed=1\n' +
		'#kst:[3.000s],failed=1200\n'));
	const rows = () => page.$$eval('#strip .cells path', (all) =>
		all.map((e) => e.getBoundingClientRect()).map((b) =>
			[Math.round(b.left), Math.round(b.right), b.top]));
	const marks = (await rows()).pop(), cells = (await rows())[0];
	assert.deepEqual(marks.slice(0, 2), [305, 1190]);
	assert.ok(marks[2] < cells[2]);
	const tip = () => page.$eval('#tip', (e) => [...e.querySelectorAll(
		'.name,.tip>div')].map((x) => x.textContent));
	const at = async (seconds, dy) => {
		const b = await box();

		await page.mouse.move(b.x + b.width * seconds / 4, b.y + dy);
		return tip();
	};
	assert.deepEqual(await at(1.5, 10), ['CPU 0, 1 s to 2 s', '101 samples',
		'100.00% busy', 'spin 90.10%', '1 sample failed']);
	assert.deepEqual(await at(1.5, 2), await at(1.5, 10));
	assert.deepEqual(await at(3.5, 40), ['CPU 1, 3 s to 4 s', 'no samples',
		'1,200 samples failed']);
	assert.equal((await at(0.5, 10)).length, 4);
	assert.equal((await amounts())[0], 'all 603');
});

test('dark and light, and on a phone', async () => {
	const fill = () => page.$eval('#strip .cells path', (e) =>
		getComputedStyle(e).fill);
	const light = await fill();
	await page.emulateMedia({ colorScheme: 'dark' });
	assert.notEqual(await fill(), light);
	await page.emulateMedia({ colorScheme: 'light' });
	await page.setViewportSize({ width: 390, height: 700 });
	await open(page, href);
	const b = await box();
	assert.deepEqual([b.x, b.width], [10, 370]);
	const cells = await page.$eval('#strip .cells', (e) => {
		const r = e.getBoundingClientRect();

		return [r.x, r.width];
	});
	assert.ok(Math.abs(cells[0] - 10) < 1 && Math.abs(cells[1] - 370) < 1,
		String(cells));
	await drag(1.2, 1.7);
	assert.equal((await amounts())[0], 'all 201');
	await page.setViewportSize({ width: 1200, height: 800 });
});

test('idle is narrow until it is opened, and shares stay', async () => {
	const own = picture(FOLDED, '-c', 'kernel');
	const widths = () => page.$$eval('#frames g[role=treeitem]', (all) => all.map((e) =>
		[e.getAttribute('aria-label').replace(/,.*/, ''),
			Math.round(e.querySelector('rect').getBoundingClientRect().width)]));

	await open(page, href);
	const all = await labels(page);
	await open(page, own);
	const [root, halted, ...rest] = await widths();
	assert.deepEqual([root, halted], [['all', 1180], ['halted', 94]]);
	assert.equal(rest[0][0], 'running');
	assert.equal(await page.textContent('#frames .hatched+text'), 'idle 33 %');
	// its children are out of sight, and all that is said stays
	assert.deepEqual(await labels(page), all.filter((s) =>
		!/^(kmain|idle), 200/.test(s)));
	await page.keyboard.press('/');
	await page.keyboard.type('kmain');
	await eventually(async () => assert.match(await page.textContent('.found'), /100.00% of all/));
	await open(page, own + '#q=idle');
	await eventually(async () => assert.match(await page.textContent('.found'), /33.17% of all/));
	const at = await middle(page, 'halted');
	await page.mouse.click(at.x, at.y);
	assert.deepEqual((await widths()).map(([name]) => name), ['all', 'halted', 'kmain', 'idle']);
	await page.keyboard.press('Escape');
	await open(page, own + '#idle=wide');
	assert.deepEqual(await labels(page), all);
	await open(page, own + '#cpus=apart');
	// of each CPU, to one scale
	assert.deepEqual((await widths()).slice(0, 4).map(([name]) => name),
		['all', 'CPU#0', 'running', 'kmain']);
	assert.deepEqual((await widths()).filter(([name]) => /^(halted|CPU#1)$/.test(name)),
		[['CPU#1', 363], ['halted', 94]]);
	await open(page, own + '#time=1-2&window=0.5-1');
	assert.ok((await amounts()).includes('running 101'));
});

test('without states, what ends in idle functions is idle', async () => {
	const own = picture('CPU#0;start;do_idle;halt 50\nCPU#0;start;do_idle;tick 10\n' +
		'CPU#1;start;do_idle;halt 30\nCPU#1;main;vfs_read 10\n', '-c', 'kernel');
	const hatched = () => page.$$eval('#frames .hatched', (all) => all.map((e) =>
		e.parentNode.getAttribute('aria-label') + ' ' + e.parentNode.textContent + ' ' +
		Math.round(e.getBoundingClientRect().width)));

	await open(page, own);
	assert.deepEqual(await hatched(), ['(idle), 50 samples, 50.00% of all idle 59',
		'(idle), 30 samples, 30.00% of all idle 35']);
	await open(page, own + '#cpus=together');
	assert.deepEqual(await hatched(), ['(idle), 80 samples, 80.00% of all idle 80 % 94']);
	// what else was called from there is not
	assert.ok((await labels(page)).includes('do_idle, 10 samples, 10.00% of all'));
	await click(page, '(idle)');
	assert.ok((await labels(page)).includes('do_idle, 80 samples, 80.00% of all'));
	// neither the table nor a search has a function that is not there
	await open(page, own + '#table=self&q=idle');
	await eventually(async () => assert.match(await page.textContent('.found'), /90.00% of all/));
	assert.deepEqual(await page.$$eval('.table tbody tr', (all) => all.map((e) =>
		e.textContent)), ['00.00%9090.00%do_idle']);
	await open(page, own + '#table=self');
	assert.equal(await page.$eval('.table tbody tr', (e) => e.textContent),
		'8080.00%8080.00%halt');
	await open(page, own + '#idle=wide');
	assert.ok(!(await labels(page)).some((s) => s.startsWith('(idle)')));
});

test('nothing has failed', () => assert.deepEqual(errors, []));

// 300 captures, 10 ms apart: in each third one CPU 0 waits for what CPU 1 has.
const ONE_BY_ONE = Array.from({ length: 300 }, (x, k) => {
	const at = `[${(k / 100).toFixed(3)}s]`, row = (cpu, rest) => `${at};CPU#${cpu};${rest} 1`;

	return [row(0, k % 3 ? 'running;kmain;work_a' : 'running;kmain;spin'),
		row(1, k % 3 ? 'halted;kmain;idle' : k < 150 ? 'running;kmain;hold' : 'running;kmain;work_a')];
}).flat().join('\n') + '\n#kst:unit=samples,captures=300,piece=0.005\n#kst:[1.005s],failed=2\n';

test('what the other CPUs did while one was in a function', async () => {
	const menu = () => page.$$eval('[role=menuitem]', (all) => all.map((e) => e.textContent));
	const item = 'The other CPUs meanwhile';

	// many samples in a piece do not tell it
	await click(page, 'work_a', { button: 'right' });
	assert.ok(!(await menu()).includes(item));
	const one = picture(ONE_BY_ONE, '-c', 'kernel', '--idle', 'wide');
	await open(page, one);
	await click(page, 'spin', { button: 'right' });
	assert.ok((await menu()).includes(item));
	await page.click('text=' + item);
	assert.deepEqual(await amounts(), ['all 100', 'running 100', 'kmain 100', 'hold 50', 'work_a 50']);
	await eventually(async () => assert.equal(hash(), '#meanwhile=spin'));
	assert.match(await page.textContent('.chips'), /the other CPUs while one is in spin/);
	// within a range of time, compared, and both ways round
	await open(page, one + '#meanwhile=spin&time=0-1.5');
	assert.deepEqual(await amounts(), ['all 50', 'running 50', 'kmain 50', 'hold 50']);
	await open(page, one + '#meanwhile=hold');
	assert.deepEqual(await amounts(), ['all 50', 'running 50', 'kmain 50', 'spin 50']);
	await open(page, one + '#meanwhile=spin&time=0-1.5&versus=1.5-3');
	assert.deepEqual((await amounts()).filter((s) => /hold|work_a/.test(s)),
		['hold 50 → 0', 'work_a 0 → 50']);
	// in a picture that does not know it, and of what is not there: all
	for (const link of [href + '#meanwhile=spin', one + '#meanwhile=nosuch'])
		await open(page, link).then(amounts).then(([all]) => assert.match(all, /^all 60[03]$/));
	await open(page, one + '#meanwhile=spin');
	await page.click('.chip button');
	assert.equal((await amounts())[0], 'all 600');
});

test('captures one by one share cells of the strip', async () => {
	await open(page, picture(ONE_BY_ONE));
	const cells = await page.$$eval('#strip .cells path', (all) => all.map((e) =>
		(e.getAttribute('d') || '').split('M').length - 1));
	assert.ok(cells.reduce((a, b) => a + b) <= 2 * 200 + 1, String(cells));
	const b = await box();
	// 1.005 s: the cell of 20 ms from 1 s on
	await page.mouse.move(b.x + b.width * 1.009 / 3, b.y + 8);
	assert.match(await page.textContent('#tip'), /1 s to 1.02 s2 samples.*2 samples failed/);
});
