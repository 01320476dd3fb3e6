// SPDX-License-Identifier: ISC
// The same picture in Firefox and WebKitGTK, in windows under Xvfb.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { dir, eventually, picture } from './browser.mjs';
import { launchDriver } from './webdriver.mjs';

const FOLDED = `CPU#0;main;read;copy 30
CPU#0;main;read;lock 10
CPU#0;main;write 20
CPU#1;idle 25
CPU#1;main;read;copy 15
`;
// On CPU 0 a second of A and two of B; CPU 1 is idle until second 2.
const TIMED = [0, 1, 2].flatMap((s) => [
	`[${s}.000s];CPU#0;running;${s < 1 ? 'work_a' : 'work_b'} ${100 + s}`,
	`[${s}.000s];CPU#1;${s < 2 ? 'halted;idle' : 'running;work_b'} 100`])
	.join('\n') + '\n#kst:[1.000s],failed=3\n#kst:unit=samples,piece=1\n';
const KINDS = (process.env.BROWSERS || 'firefox webkit').split(' ');

for (const kind of KINDS)
	describe(kind, () => {
		let page;

		before(async () => {
			page = await launchDriver(kind);
		});
		after(() => page.close());

		const labels = () => page.evaluate(() => [...document.querySelectorAll(
			'#frames g[role=treeitem]')].map((e) =>
			e.getAttribute('aria-label')));
		const middle = (name) => page.evaluate((wanted) => {
			const b = [...document.querySelectorAll('#frames g')].find((e) =>
				e.getAttribute('aria-label').startsWith(wanted + ','))
				.firstChild.getBoundingClientRect();

			return { x: b.x + b.width / 2, y: b.y + b.height / 2,
				width: b.width };
		}, name);
		const text = (selector) => page.evaluate((s) =>
			document.querySelector(s).textContent, selector);
		const hash = () => page.evaluate(() => location.hash);

		test('draws, zooms, goes back', async () => {
			await page.goto(picture(FOLDED, '--idle', 'wide'));
			assert.equal((await labels()).length, 12);
			assert.ok((await labels()).includes('copy, 30 samples, 30.00% of all'));
			await page.click(await middle('read'));
			await eventually(async () =>
				assert.ok((await middle('read')).width > 1150));
			assert.match(await hash(), /^#zoom=CPU%230;main;read/);
			await page.press('Backspace');
			await eventually(async () =>
				assert.equal((await labels()).length, 12));
		});

		test('letters are kept while the address changes', async () => {
			await page.goto(picture(FOLDED, '--idle', 'wide'));
			await page.evaluate(() =>
				document.querySelector('input[type=search]').focus());
			for (const letter of 'copy') {
				await page.type(letter);
				await new Promise((done) => setTimeout(done, 130));
			}
			await eventually(async () =>
				assert.equal(await hash(), '#q=copy'));
			assert.equal(await text('.bar .found'), '2 matches, 45.00% of all');
			await page.evaluate(() =>
				document.querySelector('[aria-label="Regular expression"]').click());
			await eventually(async () => assert.equal(await text('.bar .found'),
				'2 matches, 45.00% of all'));
		});

		test('a pattern that takes for ever is given up', async () => {
			await page.goto(picture(Array.from({ length: 50 }, (x, i) =>
				'a'.repeat(30) + '/' + 'b'.repeat(i) + '! 1').join('\n') +
				'\n') + '#regex=1&q=' + encodeURIComponent('^(\\w+/?)+\\d$'));
			await eventually(async () => assert.match(await text('.bar .found'),
				/^takes too long$|^0 matches/));
		});

		test('scrolls as far as the wheel turns, below the controls', async () => {
			const deep = Array.from({ length: 200 }, (x, i) => 'f' + i).join(';');
			await page.goto(picture(`${deep} 1\nb 1\n`) + '#inverted=icicle&runs=apart');
			const at = { x: 600, y: 500 };
			const y = () => page.evaluate(() => scrollY);
			await page.evaluate(() => scrollTo(0, 1000));
			await page.wheel(at, 300);
			await eventually(async () => assert.ok(await y() > 1000));
			await new Promise((done) => setTimeout(done, 400));
			assert.ok(await y() <= 1450, String(await y()));
			const covered = await page.evaluate(() => {
				const bar = document.querySelector('#toolbar')
					.getBoundingClientRect();
				const at = document.elementFromPoint(600, bar.bottom - 4);

				return [bar.top, document.querySelector('#toolbar').contains(at)];
			});
			assert.deepEqual(covered, [40, true]);
		});

		test('text is readable in the dark', async () => {
			await page.goto(picture(FOLDED, '--idle', 'wide') + '#theme=dark&table=total');
			const bad = await page.evaluate(() => {
				const lum = (css) => css.match(/[\d.]+/g).slice(0, 3).map((x) =>
					(x / 255) ** 2.2).reduce((s, x, i) =>
					s + x * [0.21, 0.72, 0.07][i], 0.05);

				return [...document.querySelectorAll('.ui select, .ui button, ' +
					'.ui input')].filter((e) => {
					const s = getComputedStyle(e);
					const ratio = lum(s.color) / lum(s.backgroundColor);

					return s.appearance !== 'none' && e.localName === 'select' ||
						(!/, 0\)$/.test(s.backgroundColor) &&
						Math.max(ratio, 1 / ratio) < 4.5);
				}).map((e) => e.getAttribute('aria-label'));
			});
			assert.deepEqual(bad, []);
		});

		test('ranges of time: by mouse, keys and link; compared', async () => {
			const href = picture(TIMED);
			const point = (seconds) => page.evaluate((s) => {
				const b = document.querySelector('#strip .hit')
					.getBoundingClientRect();

				return { x: b.x + b.width * s / 3, y: b.y + 12 };
			}, seconds);
			const shown = (all, address) => eventually(async () => {
				assert.equal((await labels())[0], all);
				assert.equal(await hash(), address);
			});
			const of = (n, base = 603) => `all, ${n} samples, ${
				(n / base * 100).toFixed(2)}% of all`;

			await page.goto(href);
			assert.equal((await labels())[0], of(603));
			await page.drag(await point(1.2), await point(1.7));
			await shown(of(201, 201), '#time=1-2');
			assert.match(await text('.chips'), /1 s to 2 s/);
			await page.press('ArrowRight');
			await shown(of(202, 202), '#time=2-3');
			await page.press('Escape');
			await shown(of(603), '');
			await page.drag(await point(0.2), await point(0.4));
			await shown(of(200, 200), '#time=0-1');
			await page.drag(await point(1.2), await point(2.8), true);
			const two = 'all, 200 → 403 samples, 100.00% → 100.00% of all';
			await shown(two, '#time=0-1&versus=1-3');
			await page.goto(href + '#time=0-1&versus=1-3');
			await shown(two, '#time=0-1&versus=1-3');
			const work_b = (await labels()).find((s) => /^work_b/.test(s));
			assert.match(work_b, /0 → 303 samples.*0.00% → 75.19%/);
			assert.match(await text('#foot'), /1 s to 3 s compared with 0 to 1 s/);
			await page.move(await point(1.5));
			await eventually(async () => assert.match(await text('#tip'),
				/^CPU 0, 1 s to 2 s.*work_b 100.00%3 samples failed$/));
		});

		test('pasted into HTML, pictures work', async () => {
			const file = join(dir, 'pasted.html');

			writeFileSync(file, '<!DOCTYPE html><title>t</title><body>' +
				[FOLDED, TIMED].map((folded) => readFileSync(fileURLToPath(
					picture(folded)), 'utf8').replace(/^.*\n/, '')).join('<hr>'));
			await page.go(pathToFileURL(file).href);
			// each of them has told that it is drawn, in a frame
			await eventually(async () => assert.deepEqual(await page.evaluate(() =>
				[document.querySelectorAll('body>svg').length,
					...[...document.querySelectorAll('iframe')].map((e) =>
						e.clientHeight > 200 && e.clientWidth > 1000)]), [0, true, true]));
		});

		test('the width follows the window', async () => {
			await page.goto(picture(FOLDED, '--idle', 'wide'));
			await page.size({ width: 700, height: 600 });
			await eventually(async () => {
				const { width } = await middle('all');
				assert.ok(width < 700 && width > 600, String(width));
			});
			await page.size({ width: 1200, height: 800 });
		});
	});
