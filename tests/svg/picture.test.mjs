// SPDX-License-Identifier: ISC
// What one can do in a picture, by mouse, keyboard and address.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { begin, choose, click, details, eventually, FOLDED, labels, launch, middle, names,
	open, picture } from './browser.mjs';
import { end, xvfb } from './webdriver.mjs';

const { context, page, href, errors } = await begin(FOLDED, '--title', 'Test',
	'--idle', 'wide');
after(end);

test('all frames are drawn with their counts and shares', async () => {
	const all = await labels(page);

	assert.equal(all.length, 15);
	assert.ok(all.includes('all, 100 samples, 100.00% of all'));
	assert.ok(all.includes('copy, 30 samples, 30.00% of all'));
	assert.deepEqual(errors, []);
});

test('a click zooms, Backspace and the browser go back', async () => {
	const all = async () => assert.equal((await labels(page)).length, 15);
	const zoomed = async () =>
		assert.ok((await middle(page, 'read')).width > 1150);
	await click(page, 'read');
	await zoomed();
	assert.match(await details(page), /read 40 samples · 40.00% ±/);
	assert.match(await details(page), /100.00% of what is shown/);
	assert.deepEqual((await names(page)).sort(),
		['CPU#0', 'all', 'copy', 'lock', 'main', 'read']);
	await page.keyboard.press('Backspace');
	await page.waitForFunction(() => location.hash === '');
	await eventually(all);
	await page.goForward();
	await eventually(zoomed);
	await page.goBack();
	await eventually(all);
});

test('a link brings back the same view', async () => {
	await click(page, 'idle');
	await page.fill('input[type=search]', 'i');
	await page.waitForFunction(() => location.hash.includes('q=i'));
	const link = page.url();
	const before = await labels(page);
	assert.match(link, /zoom=CPU%231;idle/);
	await open(page, link);
	assert.deepEqual(await labels(page), before);
	assert.match(await page.textContent('.bar .found'), /^1 match, 25.00% of all/);
	// the same link on a graph that was made anew
	const anew = picture('CPU#0;x 1\nCPU#1;idle;deep 3\nCPU#1;b 1\n');
	await open(page, anew + new URL(link).hash);
	assert.ok((await middle(page, 'idle')).width > 1150);
	await open(page, anew + '#zoom=CPU%231;b');
	assert.match(await details(page), /^b 1 sample /);
	await open(page, anew + new URL(link).hash);
	// from a link, Backspace stays in the picture
	await page.focus('#frames');
	await page.keyboard.press('Backspace');
	await eventually(async () => {
		assert.ok((await middle(page, 'CPU#1')).width > 1150);
		assert.ok((await middle(page, 'idle')).width < 1000);
	});
	await page.keyboard.press('Backspace');
	await page.keyboard.press('Backspace');
	await eventually(async () =>
		assert.ok((await middle(page, 'CPU#0')).width > 200));
});

test('search counts each stack once, and only what is shown', async () => {
	const found = () => page.textContent('.bar .found');
	await page.keyboard.press('/');
	await page.keyboard.type('recurse');
	assert.equal(await found(), '2 matches, 5.00% of all');
	await page.fill('input[type=search]', 'copy|lock');
	assert.equal(await found(), '0 matches, 0.00% of all');
	const finds = (text) => eventually(async () =>
		assert.equal(await found(), text));
	await page.click('[aria-label="Regular expression"]');
	await finds('4 matches, 55.00% of all');
	await click(page, 'CPU#0');
	await finds('2 matches, 40.00% of all');
	await choose(page, 'Percentages', 'shown');
	await finds('2 matches, 66.67% of what is shown');
	await page.fill('input[type=search]', 'COPY');
	await finds('1 match, 50.00% of what is shown');
	await page.click('[aria-label="Match case"]');
	await finds('0 matches, 0.00% of what is shown');
	await page.fill('input[type=search]', '(');
	await finds('not a pattern');
	await page.fill('input[type=search]', '30|samples');
	await finds('0 matches, 0.00% of what is shown');
});

test('next and previous match move the selection', async () => {
	const at = () => page.$eval('[aria-selected=true]', (e) => e.id);
	await page.fill('input[type=search]', 'copy');
	await page.press('input[type=search]', 'Enter');
	const first = await at();
	await page.press('input[type=search]', 'Enter');
	const second = await at();
	assert.notEqual(first, second);
	await page.press('input[type=search]', 'Shift+Enter');
	assert.equal(await at(), first);
	await page.press('input[type=search]', 'Shift+Enter');
	await page.press('input[type=search]', 'Enter');
	assert.equal(await at(), first);
});

test('the tree can be walked with the keyboard', async () => {
	const item = () => page.$eval('#frames', (e) => document.getElementById(
		e.getAttribute('aria-activedescendant')).getAttribute('aria-label')
		.split(', ')[0]);
	await page.focus('#frames');
	await page.keyboard.press('Home');
	assert.equal(await item(), 'all');
	for (const [key, name] of [['ArrowUp', 'CPU#0'], ['ArrowUp', 'main'],
		['ArrowUp', 'read'], ['ArrowRight', 'write'], ['ArrowLeft', 'read'],
		['ArrowDown', 'main'], ['ArrowRight', 'idle']]) {
		await page.keyboard.press(key);
		assert.equal(await item(), name);
	}
	assert.ok(await page.$('#focus'));
	await page.keyboard.press('Enter');
	assert.ok((await middle(page, 'idle')).width > 1150);
	await page.keyboard.press('Escape');
	assert.ok((await middle(page, 'idle')).width < 400);
});

test('roles and labels say what things are', async () => {
	assert.equal(await page.getAttribute('#frames', 'role'), 'tree');
	assert.equal(await page.getAttribute('#frames', 'aria-label'), 'Test');
	const session = await context.newCDPSession(page);
	const { nodes } = await session.send('Accessibility.getFullAXTree');
	const roles = nodes.filter((n) => !n.ignored).map((n) => n.role.value);
	assert.ok(roles.includes('tree'));
	assert.equal(roles.filter((r) => r === 'treeitem').length, 15);
	assert.ok(roles.includes('searchbox'));
	assert.deepEqual(await page.$$eval('[aria-level="2"]', (all) => all.map(
		(e) => e.getAttribute('aria-posinset') + ' of ' +
			e.getAttribute('aria-setsize'))), ['1 of 2', '2 of 2']);
	const unnamed = nodes.filter((n) => !n.ignored &&
		['button', 'combobox', 'searchbox', 'treeitem']
			.includes(n.role.value) && !n.name.value);
	assert.deepEqual(unnamed, []);
});

test('views are switched live', async () => {
	const y = async (name) => (await middle(page, name)).y;
	assert.ok(await y('all') > await y('CPU#0'));
	await choose(page, 'Direction', 'icicle');
	assert.ok(await y('all') < await y('CPU#0'));
	await choose(page, 'Merge from', 'leaf');
	let all = await labels(page);
	assert.ok(all.includes('copy, 45 samples, 45.00% of all'));
	assert.ok(all.includes('idle, 25 samples, 25.00% of all'));
	await choose(page, 'Merge from', 'root');
	await choose(page, 'Order', 'width');
	assert.deepEqual((await names(page)).slice(0, 5),
		['all', 'CPU#0', 'main', 'read', 'copy']);
	await choose(page, 'Root', 'CPU#1');
	all = await labels(page);
	assert.ok(all.includes('all, 40 samples, 40.00% of all'));
	assert.equal(all.filter((s) => s.startsWith('CPU')).length, 1);
});

test('the order of the input is kept', async () => {
	await open(page, picture('z;b 1\nz;a 2\nc 1\nz;b;q 1\nd 1\n'));
	assert.deepEqual(await names(page), ['all', 'c', 'd', 'z', 'a', 'b', 'q']);
	await choose(page, 'Order', 'recorded');
	assert.deepEqual(await names(page), ['all', 'z', 'b', 'q', 'a', 'c', 'd']);
	await choose(page, 'Merge from', 'leaf');
	assert.deepEqual(await names(page),
		['all', 'b', 'z', 'q', 'b', 'z', 'a', 'z', 'c', 'd']);
});

test('focus, hide and undo', async () => {
	await click(page, 'read', { button: 'right' });
	await page.click('text=Only this function');
	assert.deepEqual(await labels(page), ['read, 50 samples, 50.00% of all',
		'copy, 40 samples, 40.00% of all', 'lock, 10 samples, 10.00% of all']);
	await page.keyboard.press('u');
	assert.equal((await labels(page)).length, 15);
	await click(page, 'idle', { button: 'right' });
	await page.click('text=Hide this function');
	let all = await labels(page);
	assert.ok(all.includes('all, 75 samples, 75.00% of all'));
	assert.ok(!(await names(page)).includes('idle'));
	await click(page, 'write', { button: 'right' });
	await page.click('text=Hide this stack');
	all = await labels(page);
	assert.ok(all.includes('all, 55 samples, 55.00% of all'));
	assert.equal((await page.$$('.chip')).length, 2);
	await page.keyboard.press('u');
	assert.ok((await names(page)).includes('write'));
	await page.keyboard.press('u');
	assert.equal((await labels(page)).length, 15);
});

test('undo takes back what was done last', async () => {
	const chips = () => page.$$eval('.chip bdi', (all) =>
		all.map((e) => e.textContent));
	await open(page, href + '#cut=CPU%230;main;write&hide=idle&focus=main');
	assert.deepEqual(await chips(), ['without the stack of write',
		'without idle', 'only main']);
	await page.focus('#frames');
	await page.keyboard.press('u');
	assert.deepEqual(await chips(), ['without the stack of write',
		'without idle']);
	await page.keyboard.press('u');
	assert.deepEqual(await chips(), ['without the stack of write']);
	await page.click('.chip button');
	assert.deepEqual(await chips(), []);
	await page.goBack();
	await eventually(async () =>
		assert.deepEqual(await chips(), ['without the stack of write']));
});

test('in a chart each call is one of its own', async () => {
	await open(page, picture('a;b 1\na;c 1\na;b 2\na;c 4\n',
		'--flamechart', '--countname', 'ns'));
	const at = await page.$$eval('#frames g', (all) => all.filter((e) =>
		e.getAttribute('aria-label') === 'b, 2 ns, 25.00% of all').map((e) => {
		const b = e.getBoundingClientRect();

		return { x: b.x + b.width / 2, y: b.y + b.height / 2 };
	})[0]);
	await page.mouse.click(at.x, at.y);
	assert.match(await details(page), /^b 2 ns/);
	assert.match(page.url(), /zoom=a;b:2&sel=a;b:2$/);
	assert.deepEqual(await labels(page), ['all, 8 ns, 100.00% of all',
		'a, 8 ns, 100.00% of all', 'b, 2 ns, 25.00% of all']);
	await open(page, page.url());
	assert.equal((await labels(page)).length, 3);
	await page.focus('#frames');
	await page.keyboard.press('H');
	assert.deepEqual((await labels(page)).slice(2), ['c, 1 ns, 12.50% of all',
		'c, 4 ns, 50.00% of all']);
});

test('a picture by leaf has its stacks hidden as they are in it', async () => {
	await open(page, picture(FOLDED, '--reverse'));
	assert.ok((await labels(page)).includes('copy, 45 samples, 45.00% of all'));
	await click(page, 'recurse', { button: 'right' });
	await page.click('text=Hide this stack');
	assert.ok((await labels(page)).includes('copy, 40 samples, 40.00% of all'));
	await choose(page, 'Merge from', 'root');
	assert.deepEqual((await labels(page)).filter((s) => /^main/.test(s)),
		['main, 60 samples, 60.00% of all', 'main, 10 samples, 10.00% of all']);
	await click(page, 'idle', { button: 'right' });
	assert.equal(await page.$('text=Hide this stack'), null);
});

test('keys in a list choose there, and Tab shows where keys go', async () => {
	await click(page, 'write');
	await page.click('[aria-label=View]');
	await page.focus('[aria-label=Direction]');
	await page.keyboard.press('i');
	assert.equal(await page.$eval('[aria-label=Direction]', (e) => e.value),
		'icicle');
	await page.keyboard.press('h');
	await page.keyboard.press('t');
	assert.equal(await page.$('.chip'), null);
	assert.equal(await page.getAttribute('[aria-label="Table of functions"]',
		'aria-pressed'), 'false');
	await open(page, href);
	assert.equal(await page.$('#focus'), null);
	for (let i = 0; i < 30 && !(await page.$('#focus')); i++)
		await page.keyboard.press('Tab');
	assert.ok(await page.$('#focus'));
	assert.match(await details(page), /^all 100 samples/);
});

test('help is a dialog of its own', async () => {
	await page.focus('#frames');
	await page.keyboard.press('?');
	await page.keyboard.press('t');
	await page.keyboard.press('Tab');
	assert.equal(await page.$('tbody tr td:nth-child(4)'), null);
	assert.equal(await page.evaluate(() =>
		document.activeElement.textContent), 'Close');
	await page.keyboard.press('Escape');
	assert.equal(await page.$('[role=dialog]'), null);
	assert.equal(await page.evaluate(() => document.activeElement.id),
		'frames');
});

test('a deep stack has its names wherever one scrolls', async () => {
	await open(page, picture(Array.from({ length: 5000 }, (x, i) => 'f' + i)
		.join(';') + ' 1\n') + '#runs=apart');
	assert.ok((await names(page)).includes('all'));
	await page.evaluate(() => window.scrollTo(0, 40000));
	await page.waitForFunction(() => {
		const box = [...document.querySelectorAll('#frames g text')].map((e) =>
			e.getBoundingClientRect());

		return box.some((b) => b.top > 150 && b.top < 200) &&
			box.some((b) => b.top > 700);
	});
	const link = page.url() + '&sel=' + Array.from({ length: 3000 },
		(x, i) => 'f' + i).join(';');
	await open(page, link);
	const { y } = await middle(page, 'f2999');
	assert.ok(y > 0 && y < 800, String(y));
});

test('the table of functions', async () => {
	const rows = () => page.$$eval('tbody tr', (all) => all.map((r) =>
		[...r.cells].map((c) => c.textContent).join(' ')));
	await page.click('[aria-label="Table of functions"]');
	assert.equal((await rows())[0], '0 0.00% 75 75.00% main');
	assert.ok((await rows()).includes('0 0.00% 5 5.00% recurse'));
	await page.click('[aria-label="Sort by Total"]');
	assert.equal((await rows())[0], '0 0.00% 5 5.00% recurse');
	assert.deepEqual(await page.$$eval('th', (all) => all.map((e) =>
		e.getAttribute('aria-sort'))),
	['none', 'none', 'ascending', 'none', 'none']);
	await page.click('[aria-label="Sort by Self"]');
	assert.equal((await rows())[0], '45 45.00% 45 45.00% copy');
	await page.fill('input[type=search]', 'idle');
	assert.deepEqual(await rows(), ['25 25.00% 25 25.00% idle']);
	await page.fill('input[type=search]', '');
	await page.click('[aria-label="Sort by Function"]');
	assert.equal((await rows())[0], '0 0.00% 60 60.00% CPU#0');
	await page.click('[aria-label="Sort by Function"]');
	assert.equal((await rows())[0], '20 20.00% 20 20.00% write');
	// what is shown of a function has the self time of what is shown
	await click(page, 'idle');
	assert.deepEqual(await rows(), ['25 25.00% 25 25.00% idle',
		'0 0.00% 25 25.00% CPU#1']);
	await choose(page, 'Percentages', 'shown');
	assert.deepEqual(await rows(), ['25 100.00% 25 100.00% idle',
		'0 0.00% 25 100.00% CPU#1']);
});

test('every number says of what', async () => {
	await open(page, href + '#root=CPU%231&table=total');
	await click(page, 'idle');
	assert.match(await details(page), /^idle 25 samples · 25.00% ±[\d.]+% of all · 100.00% of what is shown · /);
	await page.keyboard.press('Backspace');
	await eventually(async () =>
		assert.match(page.url(), /#root=CPU%231&table=total$/));
	const row = () => page.$$eval('tbody tr', (all) => all.map((r) =>
		r.textContent).find((s) => s.endsWith('idle')));
	assert.equal(await row(), '2525.00%2525.00%idle');
	assert.match(await page.textContent('caption'), /shares of all$/);
	assert.ok((await labels(page)).includes('idle, 25 samples, 25.00% of all'));
	await choose(page, 'Percentages', 'shown');
	assert.equal(await row(), '2562.50%2562.50%idle');
	assert.ok((await labels(page)).includes(
		'idle, 25 samples, 62.50% of what is shown'));
	// the whole has no margin
	await open(page, href + '#sel=');
	await page.focus('#frames');
	await page.keyboard.press('Home');
	assert.match(await details(page), /^all 100 samples · 100.00% of all/);
});

test('a pattern that takes for ever is given up, the rest goes on', async () => {
	const slow = Array.from({ length: 50 }, (x, i) =>
		'a'.repeat(30) + '/' + 'b'.repeat(i) + '! 1').join('\n');
	await open(page, picture(slow + '\nok;x 9\n') +
		'#regex=1&q=' + encodeURIComponent('^(\\w+/?)+\\d$'));
	const found = () => page.textContent('.bar .found');
	await eventually(async () => assert.equal(await found(), 'takes too long'));
	assert.ok((await names(page)).includes('ok'));
	await page.fill('input[type=search]', '^o.$');
	await eventually(async () => assert.match(await found(), /^1 match, /));
	await open(page, href + '#regex=1&q=' + 'a'.repeat(1e5));
	assert.equal(await found(), 'not a pattern');
	assert.equal((await labels(page)).length, 15);
});

test('a pattern has its time from when it begins: a busy machine starts it late', async () => {
	await page.evaluate(() => {
		const post = Worker.prototype.postMessage;

		Worker.prototype.postMessage = function (...what) {
			setTimeout(() => post.apply(this, what), 1500);
		};
	});
	await page.click('[aria-label="Regular expression"]');
	await page.fill('input[type=search]', 'copy|lock');
	await eventually(async () => assert.match(
		await page.textContent('.bar .found'), /^4 matches, |^takes/));
	assert.match(await page.textContent('.bar .found'), /^4 matches, /);
});

test('what is not in the file is said', async () => {
	await open(page, picture('a;b 100000\n' + Array.from({ length: 500 },
		(x, i) => `a;c${i};d 1`).join('\n') + '\n', '--minwidth', '1'));
	await page.fill('input[type=search]', 'd');
	assert.equal(await page.textContent('.bar .found'),
		'0 matches, 0.00% to 0.50% of all');
	assert.match(await page.textContent('#foot'),
		/0.5% of all is in frames too narrow to be kept/);
	// the table of all counts them exactly, that of a part does not
	await page.click('[aria-label="Table of functions"]');
	assert.match(await page.textContent('caption'), /too narrow to be kept are counted/);
	assert.match(await page.textContent('.table tbody'), /^5000.50%5000.50%d$/);
	await page.click('[aria-label="Show only d"]'); // which no frame is left of
	assert.match(await page.textContent('.chips'), /^not here: d/);
	await open(page, page.url().replace(/#.*/, '#zoom=a&table=total'));
	assert.match(await page.textContent('caption'), /hold 0.50% of all, which is missing/);
	// and without an option, nothing is missing from a picture of 78,000
	await open(page, picture(Array.from({ length: 39000 }, (x, i) =>
		`m;f${i};g${i} ${1 + i % 9}`).join('\n') + '\n'));
	await page.fill('input[type=search]', 'g1');
	assert.match(await page.textContent('.bar .found'), /^11,111 matches, [\d.]+% of all$/);
	assert.ok(!/too narrow/.test(await page.textContent('#foot')));
});

test('letters are kept while the address changes', async () => {
	await page.click('input[type=search]');
	for (const letter of 'recurse') {
		await page.keyboard.press(letter);
		await new Promise((done) => setTimeout(done, 70));
		if (letter === 'u') {
			await page.click('[aria-label=\"Match case\"]');
			await page.focus('input[type=search]');
		}
	}
	await new Promise((done) => setTimeout(done, 500));
	await eventually(() => assert.match(page.url(), /q=recurse/));
	assert.equal(await page.$eval('input[type=search]', (e) => e.value), 'recurse');
});

test('a zoom leaves the frame under the mouse', async () => {
	const at = await middle(page, 'copy');

	await page.mouse.click(at.x, at.y);
	await page.waitForFunction(() => location.hash.includes('zoom='));
	assert.equal((await middle(page, 'copy')).y, at.y);
});

test('very many roots can still be chosen', async () => {
	await open(page, picture(Array.from({ length: 400 }, (x, i) =>
		`r${i};f ${1 + i % 7 + (i === 399 ? 90 : 0)}`).join('\n') + '\n'));
	await choose(page, 'Root', 'r399');
	assert.deepEqual(await names(page), ['all', 'r399', 'f']);
	await page.click('[aria-label=View]');
	assert.match(await page.textContent('.view [aria-label=Root]'),
		/… and 144 narrower$/);
	await page.keyboard.press('Escape');
});

test('a row of a searched table shows its function', async () => {
	await open(page, picture('x;a;b 5\ny;c;a;b 3\n') +
		'#zoom=x;a&q=b&table=total');
	await page.click('[aria-label="Show only b"]');
	assert.deepEqual(await names(page), ['b']);
	assert.equal(await page.$$eval('tbody tr', (all) => all.length), 1);
	assert.equal(await page.textContent('.bar .found'),
		'1 match, 100.00% of all');
});

test('the tooltip goes with a click, the wheel and scrolling', async () => {
	const shown = () => page.$eval('#tip', (e) => e.style.display !== 'none');
	const at = await middle(page, 'main');
	for (const act of [() => page.mouse.click(at.x, at.y),
		() => page.mouse.wheel(0, 10)]) {
		await page.mouse.move(at.x + 5, at.y);
		await page.mouse.move(at.x, at.y);
		assert.ok(await shown());
		await act();
		await eventually(async () => assert.ok(!await shown()));
	}
});

test('controls come before the frames for the keyboard', async () => {
	const order = [];

	for (let i = 0; i < 40; i++) {
		await page.keyboard.press('Tab');
		order.push(await page.evaluate(() => document.activeElement.id ||
			document.activeElement.getAttribute('aria-label')));
		if (order.at(-1) === 'frames')
			break;
	}
	assert.equal(order[0], 'Show all');
	assert.equal(order.at(-1), 'frames');
	assert.ok(order.includes('Search functions') && order.includes('Help'));
});

test('dragging moves what is zoomed, and is not a click', async () => {
	await open(page, href + '#window=0.25-0.5');
	const at = await middle(page, 'main');
	await page.mouse.move(at.x, at.y);
	await page.mouse.down();
	await page.mouse.move(at.x + 50, at.y, { steps: 3 });
	await page.mouse.move(at.x + 100, at.y, { steps: 3 });
	await page.mouse.up();
	await page.waitForFunction(() => /window=0\.2[23]/.test(location.hash));
	assert.ok(!/zoom/.test(page.url()));
});

test('self time is the same when merged by leaf', async () => {
	const rows = () => page.$$eval('tbody tr', (all) => all.map((r) =>
		[...r.cells].map((c) => c.textContent).join(' ')));
	for (const file of [href, picture(FOLDED, '--reverse')]) {
		await open(page, file + '#table=self&reverse=root');
		const byRoot = await rows();
		assert.equal(byRoot[0], '45 45.00% 45 45.00% copy');
		assert.equal(byRoot.at(-1), '0 0.00% 5 5.00% recurse');
		await choose(page, 'Merge from', 'leaf');
		assert.deepEqual(await rows(), byRoot);
		await click(page, 'copy');
		assert.match(await details(page), /self 45 samples/);
		await click(page, 'read');
		assert.match(await details(page), /self 0 samples/);
	}
});

test('tooltip on a frame, also a narrow one', async () => {
	const at = await middle(page, 'lock');
	await page.mouse.move(at.x, at.y);
	const tip = await page.textContent('.tip');
	assert.match(tip, /^lock10 samples10.00% ±7\.44% of all10.00% of what is shownself 10 samples$/);
	const many = picture('a;b 100000\n' + Array.from({ length: 3000 },
		(x, i) => `a;c${i};d 1`).join('\n') + '\n', '--all');
	await open(page, many);
	const a = await middle(page, 'a');
	await page.mouse.move(a.x + a.width / 2 - 5, a.y - 18);
	assert.match(await page.textContent('.tip'), /^c\d+1 sample/);
});

test('a tooltip has the three lines of source where its frame itself was most', async () => {
	const tipOf = async (name) => {
		const { x, y } = await middle(page, name);

		await page.mouse.move(x, y);
		return page.$$eval('.tip div', (all) => all.map((e) => e.textContent));
	};
	const lines = readFileSync(new URL('../golden/kst-svg/lines.in', import.meta.url));
	await open(page, picture(lines));
	assert.deepEqual((await tipOf('work')).slice(4),
		['a.c:12 36.59%', 'b/x.rs:10 24.39%', 'a.c:7 6.10%']);
	assert.match(await details(page), / · a.c:12 36.59% · b\/x.rs:10 24.39% · a.c:7 6.10%$/);
	assert.deepEqual((await tipOf('sort')).slice(4), ['s.h:1 8.54%', 's.h:2 8.54%']);
	assert.deepEqual((await tipOf('other')).slice(4), []);
	// of two counts, and of what stands in one row
	await open(page, picture('r;f;a.c:1 10 30\nr;f;a.c:2 50 10\n', '--no-normalize'));
	assert.deepEqual((await tipOf('f')).slice(-2),
		['a.c:2 83.33% → 25.00%', 'a.c:1 16.67% → 75.00%']);
	const deep = [...Array(90).keys()].map((k) => 'same_' + k).join(';');
	await open(page, picture(`${deep};a.c:1 3\n${deep};a.c:2 4\n`, '-c', 'mem'));
	assert.deepEqual((await tipOf(await page.$eval('#f1', (e) =>
		e.getAttribute('aria-label').split(', ')[0]))).filter((s) => /^a\.c/.test(s)),
	['a.c:2 57.14%', 'a.c:1 42.86%']);
});

test('one can go around the matches in both directions', async () => {
	await open(page, picture('r;a 5\nr;b;a 6\nr;c;a 7\n'));
	await page.fill('input[type=search]', 'a');
	await page.focus('#frames');
	const seen = [];
	for (const k of ['n', 'n', 'n', 'n', 'N', 'N', 'N']) {
		await page.keyboard.press(k);
		seen.push((await details(page)).match(/\d+/)[0]);
	}
	assert.equal(seen.join(' '), '5 6 7 5 7 6 5');
	await page.keyboard.press('Home');
	await page.keyboard.press('N');
	assert.match(await details(page), /^a 7 /);
});

test('names that look the same are frames of their own', async () => {
	await open(page, picture(Buffer.from('r;\xfe 10\nr;\xff 20\nr;x 1\n',
		'latin1')));
	const frame = async (label) => page.$$eval('#frames g', (all, l) =>
		all.filter((e) => e.getAttribute('aria-label').startsWith(l))
			.map((e) => {
				const b = e.getBoundingClientRect();

				return { x: b.x + b.width / 2, y: b.y + 9 };
			}), label);
	const [at] = await frame('\ufffd, 20 ');
	await page.mouse.click(at.x, at.y);
	assert.match(await details(page), /^\ufffd 20 samples/);
	assert.equal((await frame('\ufffd, 10 ')).length, 0);
	await page.keyboard.press('Escape');
	await page.fill('input[type=search]', '\ufffd');
	assert.match(await page.textContent('.bar .found'), /^2 matches, 96.77%/);
	await choose(page, 'Order', 'width');
	assert.equal((await frame('\ufffd, 30 ')).length, 1);
});

test('counts are exact, however large', async () => {
	await open(page, picture('a;b 9007199254740993\na;c 0.000000000000000001\n' +
		'd;b 9007199254740996\n'));
	const counts = async () => (await labels(page)).map((s) =>
		s.replace(/ samples.*/, ''));
	assert.deepEqual(await counts(), [
		'all, 18,014,398,509,481,989.000000000000000001',
		'a, 9,007,199,254,740,993.000000000000000001',
		'b, 9,007,199,254,740,993', 'd, 9,007,199,254,740,996',
		'b, 9,007,199,254,740,996']);
	await choose(page, 'Merge from', 'leaf');
	assert.ok((await counts()).includes('b, 18,014,398,509,481,989'));
	await choose(page, 'Merge from', 'root');
	await choose(page, 'Order', 'width');
	assert.equal((await counts()).length, 5);
	await page.click('[aria-label="Table of functions"]');
	assert.deepEqual(await page.$$eval('tbody tr', (all) => all.map((r) =>
		r.textContent)), [
		'18,014,398,509,481,989100.00%18,014,398,509,481,989100.00%b',
		'00.00%9,007,199,254,740,99650.00%d',
		'00.00%9,007,199,254,740,993.00000000000000000150.00%a']);
	await click(page, 'd', { button: 'right' });
	await page.click('text=Hide this function');
	assert.equal((await counts())[0],
		'all, 9,007,199,254,740,993.000000000000000001');
	await open(page, picture('a 9007199254740993 9007199254740995\n') + '#norm=0');
	await click(page, 'a');
	assert.match(await details(page), /9,007,199,254,740,993 → 9,007,199,254,740,995 samples · change \+2, /);
	assert.deepEqual(errors, []);
});

test('wheel zooms and pans', async () => {
	const at = await middle(page, 'read');
	await page.mouse.move(at.x, at.y);
	await page.keyboard.down('Control');
	await page.mouse.wheel(0, -400);
	await page.keyboard.up('Control');
	await eventually(async () =>
		assert.ok((await middle(page, 'read')).width > at.width * 1.5));
	await page.keyboard.down('Shift');
	await page.mouse.wheel(0, 200);
	await page.keyboard.up('Shift');
	await page.waitForFunction(() => location.hash.includes('window='));
	await page.keyboard.press('Escape');
	assert.ok(Math.abs((await middle(page, 'read')).width - at.width) < 1);
});

async function scrolls(page) {
	const deep = Array.from({ length: 200 }, (x, i) => 'f' + i).join(';');

	for (const hash of ['', '&table=total', '&inverted=icicle']) {
		await open(page, picture(`${deep} 1\n${deep};x 1\nb 9\n`) +
			'#runs=apart' + hash);
		await page.evaluate(() => window.scrollTo(0, 1000));
		await page.mouse.move(600, 400);
		for (const step of [100, 100, -100, -100, 100]) {
			const before = await page.evaluate(() => scrollY);

			await page.mouse.wheel(0, step);
			await eventually(async () =>
				assert.equal(await page.evaluate(() => scrollY), before + step));
			await new Promise((done) => setTimeout(done, 150));
			assert.equal(await page.evaluate(() => scrollY), before + step);
		}
	}
}

test('the wheel scrolls as far as it turns', () => scrolls(page));

test('and in a window', async () => {
	const window = await launch(undefined, {}, await xvfb());

	try {
		await scrolls(window.pages()[0]);
	} finally {
		await window.close();
	}
});

test('the width follows the window', async () => {
	await page.setViewportSize({ width: 700, height: 600 });
	await page.waitForFunction(() =>
		document.documentElement.getAttribute('width') <= 700);
	const all = await middle(page, 'all');
	assert.ok(all.width < 700 && all.width > 600);
	await page.setViewportSize({ width: 1200, height: 800 });
});

test('names, stacks and links are copied', async () => {
	const copied = () => page.evaluate(() => navigator.clipboard.readText());

	await context.grantPermissions(['clipboard-read', 'clipboard-write']);
	await click(page, 'copy', { button: 'right' });
	await page.click('text=Copy name');
	assert.equal(await copied(), 'copy');
	await click(page, 'copy', { button: 'right' });
	await page.click('text=Copy stack');
	assert.equal(await copied(), 'CPU#0;main;read;copy');
	await click(page, 'copy', { button: 'right' });
	await page.click('text=Copy link');
	assert.equal(await copied(), href + '#sel=CPU%230;main;read;copy');
});

test('file and line become a link', async () => {
	await open(page, picture('main (src/a b.c:12);x 1\n',
		'--link', 'https://code.example/{file}#L{line}'));
	await click(page, 'main (src/a b.c:12)');
	assert.match(await details(page), /b.c:12/);
	assert.equal(await page.getAttribute('.details a', 'href'),
		'https://code.example/b.c#L12');
});

test('no error was printed', () => {
	assert.deepEqual(errors, []);
});

test('a zoom glides, unless one wants less motion', async () => {
	// what glides is kept: on a busy machine it has ended when one looks
	await page.evaluate(() => {
		const animate = Element.prototype.animate;

		window.glided = [];
		Element.prototype.animate = function (frames, timing) {
			window.glided.push(timing.duration);
			return animate.call(this, frames, timing);
		};
	});
	const glided = () => page.evaluate(() => window.glided);

	await click(page, 'main');
	assert.deepEqual(await glided(), []);
	await page.emulateMedia({ reducedMotion: 'no-preference' });
	await page.keyboard.press('Escape');
	assert.deepEqual(await glided(), [150]);
	await page.waitForFunction(() => !document.querySelector('.gliding'));
	await page.emulateMedia({ reducedMotion: 'reduce' });
});

test('rows of a low picture are higher, on paper as drawn', async () => {
	const height = () => page.$eval('#frames g rect', (e) =>
		+e.getAttribute('height'));

	assert.equal(await height(), 26);
	await page.setViewportSize({ width: 1200, height: 150 });
	await page.waitForFunction(() => document.querySelector('#frames g rect')
		.getAttribute('height') === '11');
	await page.setViewportSize({ width: 1200, height: 800 });
});

test('the palette is changed in the page', async () => {
	const classes = () => page.$$eval('#frames g rect', (all) =>
		all.map((e) => e.getAttribute('class')[0]).join(''));

	assert.match(await classes(), /^rootc+$|^rc+$/);
	await open(page, page.url().replace(/#.*/, '') + '#colors=name');
	assert.match(await classes(), /^rn+$/);
});
