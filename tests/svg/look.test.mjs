// SPDX-License-Identifier: ISC
// How pictures look: nothing overlaps, all text is readable, in both themes;
// hostile names are text and nothing else.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { begin, choose, click, dir, eventually, labels, launch, middle, names, open, picture } from
	'./browser.mjs';

const KERNEL = `CPU#0;k;aster_nix::net::socket::recv 30
CPU#0;k;alloc::boxed::call 10
CPU#0;k;acpi_idle_do_entry 20
CPU#0;k;_raw_spin_unlock_irqrestore 25
CPU#1;k;ext4_file_read_iter 10
CPU#1;k;ostd::task::scheduler::reschedule 20
CPU#1;k;ostd::mm::page_table::map;漢字の名前 5
CPU#1;k;Xresume_lapic_ltimer 5
CPU#1;k;virtio_blk_submit;a_rather_long_name_that_does_not_fit_in_here 9
User PID=3 (shell);main;x 30
`;
const DIFF = `a;more 100 900
a;less 900 100
a;same 500 510
b;new 0 300
b;old 300 0
`;
const { page, errors } = await begin();
page.on('dialog', (d) => {
	errors.push('dialog');
	d.dismiss();
});

// What is wrong with the frames on the page: text outside of its frame or
// with too little contrast, frames that overlap or lie outside the picture.
const faults = () => page.evaluate(() => {
	const bad = [];
	const lum = (css) => {
		const [r, g, b] = css.match(/[\d.]+/g).map((x) => x / 255)
			.map((x) => x <= 0.04045 ? x / 12.92 :
				((x + 0.055) / 1.055) ** 2.4);

		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const contrast = (a, b) => (Math.max(lum(a), lum(b)) + 0.05) /
		(Math.min(lum(a), lum(b)) + 0.05);
	const numbers = (css) => css.match(/[\d.]+/g).map(Number);
	const blend = (rect) => {
		const style = getComputedStyle(rect), a = +style.fillOpacity;
		const under = numbers(getComputedStyle(document
			.querySelector('.page')).fill);

		if (/^url/.test(style.fill)) // hatched, of pale colours
			return under.join(' ');
		return numbers(style.fill).map((v, i) => v * a + under[i] * (1 - a))
			.join(' ');
	};
	const rows = new Map();
	for (const g of document.querySelectorAll('#frames g[role=treeitem]')) {
		const [rect, text] = g.querySelectorAll('rect, text');
		if (!rect)
			continue;
		const box = rect.getBoundingClientRect();
		const fill = getComputedStyle(rect).fill;

		if (box.left < 0 || box.right > innerWidth + 1)
			bad.push('outside: ' + g.textContent);
		const row = rows.get(box.y) || [];
		rows.set(box.y, row);
		row.push([box.left, box.right, g.textContent]);
		if (!text)
			continue;
		const t = text.getBoundingClientRect();
		if (t.left < box.left || t.right > box.right + 0.5 ||
			t.top < box.top - 3 || t.bottom > box.bottom + 3)
			bad.push('text outside of its frame: ' + text.textContent);
		if (contrast(blend(rect), getComputedStyle(text).fill) < 4.5)
			bad.push('contrast: ' + text.textContent + ' on ' + fill);
	}
	for (const row of rows.values()) {
		row.sort((a, b) => a[0] - b[0]);
		for (let i = 1; i < row.length; i++)
			if (row[i][0] < row[i - 1][1] - 0.02)
				bad.push('overlap: ' + row[i - 1][2] + ' | ' + row[i][2]);
	}
	const page = getComputedStyle(document.querySelector('.page')).fill;
	for (const e of document.querySelectorAll('.title,.subtitle,.note'))
		if (e.getBoundingClientRect().right > innerWidth)
			bad.push('outside: ' + e.textContent);
	for (const e of document.querySelectorAll('.title,.subtitle,.note'))
		if (contrast(page, getComputedStyle(e).fill) < 4.5)
			bad.push('contrast: ' + e.textContent);
	// every text of the controls, on the colour that lies under it
	const under = (e) => {
		for (; e && e.nodeType === 1; e = e.parentNode) {
			const { backgroundColor } = getComputedStyle(e);

			if (!/, 0\)$|transparent/.test(backgroundColor))
				return backgroundColor;
		}
		return page;
	};
	for (const e of document.querySelectorAll('.ui, .ui *'))
		if ([...e.childNodes].some((n) => n.nodeType === 3) &&
			contrast(under(e), getComputedStyle(e).color) < 4.5)
			bad.push('contrast: ' + e.textContent);
	// controls and frames do not cover each other
	const bar = document.querySelector('#toolbar').getBoundingClientRect();
	const top = Math.min(...[...rows.keys()]);
	if (window.scrollY === 0 && bar.bottom > top)
		bad.push('controls over frames');
	const controls = [...document.querySelectorAll('.bar button,.bar select,' +
		'.bar input')].map((e) => e.getBoundingClientRect());
	controls.forEach((a, i) => controls.slice(i + 1).forEach((b) => {
		if (a.left < b.right - 1 && b.left < a.right - 1 &&
			a.top < b.bottom - 1 && b.top < a.bottom - 1)
			bad.push('controls overlap');
	}));
	return bad;
});

const PALETTES = ['hot', 'red', 'orange', 'yellow', 'green', 'aqua', 'blue',
	'purple', 'grey', 'mem', 'io', 'cool', 'kernel', 'rust', 'annotated'];

test('every palette is readable, light and dark', async () => {
	const many = KERNEL + Array.from({ length: 60 }, (x, i) =>
		`m${i * 7}::f${i} 60`).join('\n') + '\n';
	for (const palette of PALETTES) {
		await open(page, picture(many, '-c', palette));
		for (const colorScheme of ['light', 'dark']) {
			await page.emulateMedia({ colorScheme });
			assert.deepEqual(await faults(), [], palette + ' ' + colorScheme);
		}
	}
	await page.emulateMedia({ colorScheme: 'light' });
});

test('each view: no overlap, no text outside of its box', async () => {
	const href = picture(KERNEL, '-c', 'kernel', '--title', 'T',
		'--subtitle', 'S', '--notes', 'N');
	for (const hash of ['', '#inverted=icicle', '#reverse=leaf',
		'#order=width', '#root=CPU%231', '#q=k', '#zoom=CPU%231;k',
		'#table=total', '#hide=main&cut=CPU%230;k', '#window=0.1-0.3',
		'#focus=k&theme=dark', '#theme=dark&q=k&table=name',
		'#sel=CPU%231&regex=1&table=self']) {
		await open(page, href + hash);
		assert.deepEqual(await faults(), [], hash);
	}
	const long = picture(KERNEL, '-c', 'kernel', '--title', 'title '.repeat(99),
		'--subtitle', 'subtitle '.repeat(99), '--notes', 'note '.repeat(99));
	for (const width of [320, 400, 700, 1800, 2400])
		for (const file of [href, long]) {
			await page.setViewportSize({ width, height: 700 });
			await open(page, file + '#table=total&q=k');
			assert.deepEqual(await faults(), [], 'width ' + width);
			assert.ok(await page.evaluate(() =>
				document.documentElement.scrollWidth <= innerWidth));
		}
	await page.setViewportSize({ width: 1200, height: 800 });
});

test('tooltip, menu and help stay inside of the window', async () => {
	const names = 'n'.repeat(5000);

	await page.setViewportSize({ width: 400, height: 500 });
	for (const colorScheme of ['light', 'dark']) {
		await page.emulateMedia({ colorScheme });
		await open(page, picture(`a;${names} 3\na;b 3\na;c 3\n`));
		const inside = (selector) => page.$eval(selector, (e) => {
			const b = e.getBoundingClientRect();

			return b.width > 50 && b.left >= 0 && b.top >= 0 &&
				b.right <= innerWidth && b.bottom <= innerHeight;
		});
		for (const name of ['a', 'b', 'n'.repeat(299) + '…']) {
			const at = await middle(page, name);
			await page.mouse.move(at.x, at.y);
			assert.ok(await inside('.tip'), name);
			assert.deepEqual(await faults(), []);
			await page.mouse.click(at.x, at.y, { button: 'right' });
			assert.ok(await inside('.menu'), name);
			assert.deepEqual(await faults(), []);
			await page.keyboard.press('Escape');
		}
		await page.keyboard.press('?');
		assert.ok(await inside('.help'));
		assert.deepEqual(await faults(), []);
	}
	await page.emulateMedia({ colorScheme: 'light' });
	await page.setViewportSize({ width: 1200, height: 800 });
});

test('a tooltip has the whole name, and is not higher than the window', async () => {
	const whole = Array.from({ length: 1490 }, (x, i) => i % 10).join('') +
		'::the_end';
	const tip = () => page.$eval('.tip', (e) => {
		const name = e.querySelector('.name'), b = e.getBoundingClientRect();

		return { text: name.textContent, cut: name.scrollHeight >
			name.clientHeight + 1, inside: b.top >= 0 &&
			b.bottom <= innerHeight && b.right <= innerWidth,
			last: e.lastChild.getBoundingClientRect().bottom < b.bottom };
	});

	for (const [width, height] of [[1200, 800], [390, 844]]) {
		await page.setViewportSize({ width, height });
		await open(page, picture(`a;${whole} 3\na;${'n'.repeat(90000)} 3\n`));
		const at = await middle(page, whole.slice(0, 299) + '…');
		await page.mouse.move(at.x, at.y);
		assert.deepEqual(await tip(), { text: whole, cut: false,
			inside: true, last: true }, String(width));
		const huge = await middle(page, 'n'.repeat(299) + '…');
		await page.mouse.move(huge.x, huge.y);
		const { text, ...rest } = await tip();
		assert.ok(text.length < 10000);
		assert.deepEqual(rest, { cut: true, inside: true, last: true });
	}
	await page.setViewportSize({ width: 1200, height: 800 });
});

test('notes are wrapped where they do not fit', async () => {
	const note = Array.from({ length: 40 }, (x, i) => 'word' + i).join(' ');

	for (const width of [390, 1200]) {
		await page.setViewportSize({ width, height: 844 });
		await open(page, picture('a 1\n', '--notes', note) + '#table=total');
		assert.deepEqual(await faults(), []);
		const { lines, bottom, table } = await page.evaluate(() => ({
			lines: [...document.querySelectorAll('#foot>.note:last-child tspan')]
				.map((e) => e.textContent),
			bottom: document.querySelector('#foot').getBoundingClientRect()
				.bottom,
			table: document.querySelector('#table').getBoundingClientRect()
				.top }));
		assert.equal(lines.join(' '), note);
		assert.ok(width > 1000 || lines.length > 4, String(lines.length));
		assert.ok(table >= bottom);
	}
	await open(page, picture('a 1\n', '--notes', 'x'.repeat(9000)));
	assert.deepEqual(await faults(), []);
	await page.setViewportSize({ width: 1200, height: 800 });
});

test('text is readable on every colour that a user may choose', async () => {
	const greys = Array.from({ length: 64 }, (x, i) => i * 4);

	writeFileSync(join(dir, 'greys'), greys.map((g) =>
		`g${g}->rgb(${g},${g},${g})\nr${g}->rgb(${g},0,${255 - g})`)
		.join('\n'));
	await open(page, picture(greys.map((g) => `g${g} 9\nr${g} 9\n`).join(''),
		'--palette', join(dir, 'greys'), '-w', '6000'));
	await page.setViewportSize({ width: 6000, height: 300 });
	await page.waitForFunction(() =>
		document.querySelectorAll('#frames text').length === 129);
	for (const colorScheme of ['light', 'dark']) {
		await page.emulateMedia({ colorScheme });
		assert.deepEqual(await faults(), [], colorScheme);
	}
	await page.emulateMedia({ colorScheme: 'light' });
	await page.setViewportSize({ width: 1200, height: 800 });
});

test('on paper: the whole picture, dark on white, no controls', async () => {
	const deep = Array.from({ length: 300 }, (x, i) => 'f' + i).join(';');

	await page.emulateMedia({ colorScheme: 'dark' });
	await open(page, picture(`${deep} 1\nb 1\n`) + '#theme=dark');
	await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
	await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
	assert.equal(await page.$eval('.page', (e) => getComputedStyle(e).fill),
		'rgb(255, 255, 255)');
	assert.equal((await names(page)).length, 302);
	assert.ok(!await page.isVisible('#toolbar'));
	const { top, bottom } = await page.evaluate(() => {
		const box = (s) => document.querySelector(s).getBoundingClientRect();

		return { top: box('#frames').top - box('.title').bottom,
			bottom: document.documentElement.getAttribute('height') -
				302 * 18 };
	});
	assert.ok(top < 40 && bottom < 80, `${top} ${bottom}`);
	await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
	await page.emulateMedia({ media: null, colorScheme: 'light' });
	assert.ok(await page.isVisible('#toolbar'));
});

test('the theme can be forced', async () => {
	const fill = () => page.$eval('.page', (e) => getComputedStyle(e).fill);
	const href = picture(KERNEL);
	await open(page, href);
	const light = await fill();
	await choose(page, 'Colours of the page', 'dark');
	const dark = await fill();
	assert.notEqual(dark, light);
	await page.emulateMedia({ colorScheme: 'dark' });
	await choose(page, 'Colours of the page', 'light');
	assert.equal(await fill(), light);
	await choose(page, 'Colours of the page', '');
	assert.equal(await fill(), dark);
	await page.emulateMedia({ colorScheme: 'light' });
});

test('differential: new and vanished stacks, growth on parents', async () => {
	await open(page, picture(DIFF, '--no-normalize'));
	assert.deepEqual(await faults(), []);
	const all = await labels(page);
	assert.ok(all.includes('new, 0 → 300 samples, 0.00% → 16.57% of all'));
	assert.ok(all.includes('old, 300 → 0 samples, 16.67% → 0.00% of all'));
	const classOf = (name) => page.$$eval('#frames g', (gs, n) =>
		gs.find((g) => g.getAttribute('aria-label').startsWith(n + ','))
			.firstChild.getAttribute('class'), name);
	assert.equal(await classOf('same'), 'c4');
	assert.equal(await classOf('more'), 'c8');
	assert.equal(await classOf('old'), 'c0');
	await click(page, 'more');
	assert.match(await page.textContent('.details'),
		/100 → 900 samples · change \+800, \+800.00% · 5.56% → 49.72% of all/);
	await page.keyboard.press('Escape');
	await page.click('[aria-label="Table of functions"]');
	assert.deepEqual((await page.$$eval('tbody tr', (all) => all.map((r) =>
		[...r.cells].map((c) => c.textContent).join(' ')))).slice(0, 3),
	['900 100 −800 −88.89% less', '100 900 +800 +800.00% more',
		'0 300 +300 new new']);
});

test('differential: colour, text and table say the same', async () => {
	const classes = () => page.$$eval('#frames g', (all) => Object.fromEntries(
		all.map((e) => [e.getAttribute('aria-label').split(',')[0],
			e.firstChild.getAttribute('class')])));
	const rows = () => page.$$eval('tbody tr', (all) => all.map((r) =>
		[...r.cells].map((c) => c.textContent).join(' ')));
	const href = picture('m;a 1000 1200\nm;b 2000 4000\nm;c 300 900\n');
	// totals that differ are compared by shares
	await open(page, href + '#table=name');
	assert.match(await page.textContent('#foot'),
		/The totals differ: 3,300 before, 6,100 after. Shares are compared/);
	assert.equal((await classes()).a, 'c0');
	await open(page, href + '#norm=0&table=name');
	assert.ok(!await page.isVisible('text=Shares are compared'));
	assert.equal((await classes()).a, 'c7'); // 200 of 6,100: more than 1 %
	assert.equal((await rows())[0], '1,000 1,200 +200 +20.00% a');
	const at = await middle(page, 'a');
	await page.mouse.move(at.x, at.y);
	assert.match(await page.textContent('.tip'), /change \+200, \+20.00%/);
	await page.click('[aria-label=View]');
	await page.click('[aria-label^="Compare shares"]');
	await page.keyboard.press('Escape');
	assert.equal((await classes()).a, 'c0');
	assert.ok(await page.isVisible('text=Shares are compared'));
	assert.equal((await rows())[0], '30.30% 19.67% −10.63 points −35.08% a');
	const now = await middle(page, 'a');
	await page.mouse.move(now.x, now.y);
	assert.match(await page.textContent('.tip'),
		/change −10.63 points, −35.08%30.30% → 19.67% of all/);
	// the program's own option is the same view
	await open(page, picture('m;a 1000 1200\nm;b 2000 4000\nm;c 300 900\n',
		'--no-normalize') + '#table=name');
	assert.equal((await classes()).a, 'c7');
	assert.equal((await rows())[0], '1,000 1,200 +200 +20.00% a');
	// widths before, after
	await open(page, href);
	const width = async (name) => (await middle(page, name)).width;
	await choose(page, 'Widths', 'before');
	assert.ok(Math.abs(await width('a') / await width('m') - 10 / 33) < 0.01);
	await choose(page, 'Widths', 'after');
	assert.ok(Math.abs(await width('a') / await width('m') - 12 / 61) < 0.01);
	assert.deepEqual(await faults(), []);
});

test('a phone: as wide as the screen, large enough to touch', async () => {
	const phone = await launch({ width: 390, height: 844 },
		{ hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
	const p = phone.pages()[0];
	try {
		await open(p, picture(KERNEL, '-c', 'kernel'));
		assert.deepEqual(await p.evaluate(() => [innerWidth,
			document.documentElement.scrollWidth]), [390, 390]);
		const bar = await p.$eval('#toolbar', (e) =>
			e.getBoundingClientRect().height);
		assert.ok(bar < 844 / 6, String(bar));
		const at = await middle(p, 'k');
		// where half a second passes within, that is a long press
		for (let i = 0; i < 5; i++) {
			await p.touchscreen.tap(at.x, at.y);
			if (!await p.isVisible('.menu'))
				break;
			await p.keyboard.press('Escape');
		}
		await p.waitForFunction(() => location.hash.includes('zoom='));
		assert.ok(!await p.isVisible('#tip .tip'));
		// by the protocol: a long press, two fingers, a drag
		const session = await phone.newCDPSession(p);
		const touch = (type, ...points) => session.send(
			'Input.dispatchTouchEvent', { type, touchPoints: points.map(
				([x, y], id) => ({ x, y, id })) });
		const zoom = p.url();
		const on = await middle(p, 'k');
		await touch('touchStart', [on.x, on.y]);
		await p.waitForSelector('.menu');
		await touch('touchEnd');
		assert.equal(await p.isVisible('.menu'), true);
		assert.equal(p.url().replace(/&sel=.*/, ''), zoom.replace(/&sel=.*/, ''));
		await p.keyboard.press('Escape');
		await open(p, zoom.replace(/#.*/, ''));
		const y = (await middle(p, 'all')).y;
		await touch('touchStart', [150, y], [230, y]);
		for (let i = 1; i <= 10; i++)
			await touch('touchMove', [150 - i * 5, y], [230 + i * 5, y]);
		await touch('touchEnd');
		await p.waitForFunction(() => location.hash.includes('window='));
		const shown = () => new URL(p.url()).hash.match(/[\d.]+/g).map(Number);
		await p.waitForFunction(() => {
			const [from, to] = location.hash.match(/[\d.]+/g).map(Number);

			return to - from < 0.7;
		});
		const [lo] = shown();
		await touch('touchStart', [200, y]);
		for (let i = 1; i <= 10; i++)
			await touch('touchMove', [200 - i * 10, y]);
		await touch('touchEnd');
		await p.waitForFunction((from) => +location.hash.match(/[\d.]+/)[0] >
			from + 0.1, lo);
	} finally {
		await phone.close();
	}
});

test('a chart keeps its order and has an axis', async () => {
	await open(page, picture('a;b 1000000\na;c 500000\na;b 500000\n',
		'--flamechart', '--countname', 'ns'));
	assert.deepEqual(await names(page), ['all', 'a', 'b', 'c', 'b']);
	assert.match(await page.textContent('.axis'), /^0.*1 ms.*2 ms$/);
	assert.deepEqual(await faults(), []);
	await choose(page, 'Order', 'name');
	assert.deepEqual(await names(page), ['all', 'a', 'b', 'c']);
	assert.equal(await page.$('.axis'), null); // that is no time
});

test('hostile names are text and nothing else', async () => {
	const hostile = ['"><script>window.bad=1</script>', ']]>', '--', '-->',
		'<![CDATA[', '&amp', '</text></svg>', '\u05e9\u05dc\u05d5\u05dd',
		'__proto__', 'constructor', 'javascript:alert(1)', "'+alert(1)+'",
		'</script>', '\u2028', '${alert(1)}', '<img src=x onerror=alert(1)>'];
	const folded = hostile.map((n) => `r;${n} 10`).join('\n') +
		`\nr;nul\0x 10\nr;\u202eright\u2069 10\nr;${'n'.repeat(100000)} 10\n`;
	await open(page, picture(folded, '--title', '</title><b>',
		'--subtitle', '<i>"', '--notes', ']]>', '--countname', '"<s>',
		'--nametype', '"><u>'));
	const shown = new Set(await page.$$eval('#frames g', (all) =>
		all.map((e) => e.getAttribute('aria-label'))));
	for (const name of hostile)
		assert.ok([...shown].some((s) => s.startsWith(name + ', 10 "<s>')),
			name);
	for (const name of ['nul\ufffdx', '\ufffdright\ufffd'])
		assert.ok([...shown].some((s) => s.startsWith(name + ', ')), name);
	await page.click('[aria-label="Table of functions"]');
	for (const name of ['<img src=x onerror=alert(1)>', '__proto__']) {
		const at = await middle(page, name);

		await page.mouse.move(at.x, at.y);
		await click(page, name, { button: 'right' });
		await page.click('text=Hide this function');
		assert.ok(!(await names(page)).includes(name));
	}
	const harmless = async () => {
		assert.equal(await page.evaluate(() => window.bad), undefined);
		assert.deepEqual(await page.$$eval('b, i, s, u, img, script[src]',
			(all) => all.map((e) => e.outerHTML)), []);
		assert.deepEqual(errors, []);
	};
	await harmless();
	// as what changed most, and as sums of functions without a frame
	for (const name of hostile) {
		await open(page, picture(`r;x;${name} 10 9000\nr;y;${name} 10 9000\nz 900000 1\n`,
			'--minwidth', '300', '--countname', 'constructor'));
		const movers = await page.$$eval('.chips>button', (all) => all.map((e) => e.textContent));
		assert.deepEqual(movers.length, 1, movers);
		await open(page, picture(`r;x;${name} 9\nr;y;${name} 9\nz 82\n`,
			'--minwidth', '150', '--countname', 'constructor') + '#table=self');
		assert.ok((await page.$$eval('.table tbody tr', (all) => all.map((e) => e.textContent)))
			.includes('1818.00%1818.00%' + name), name);
		await harmless();
	}
});

test('a strict page shows the static picture by <img>', async () => {
	const svg = readFileSync(fileURLToPath(picture(KERNEL)));
	const server = createServer((request, reply) => {
		reply.setHeader('Content-Security-Policy',
			"default-src 'none'; img-src 'self'");
		if (request.url === '/a.svg') {
			reply.setHeader('Content-Type', 'image/svg+xml');
			reply.end(svg);
		} else {
			reply.setHeader('Content-Type', 'text/html');
			reply.end('<!doctype html><img src="/a.svg" width="1200">');
		}
	});
	await new Promise((done) => server.listen(0, '127.0.0.1', done));
	try {
		await page.goto(`http://127.0.0.1:${server.address().port}/`);
		const size = await page.$eval('img', (i) => i.decode().then(() =>
			[i.naturalWidth, i.naturalHeight]));
		assert.equal(size[0], 1200);
		const png = await page.screenshot();
		writeFileSync(join(dir, 'img.png'), png);
		// the picture is not blank: it has many colours
		const colours = await countColours(png);
		assert.ok(colours > 20, String(colours));
	} finally {
		server.close();
	}
});

// The number of colours in a PNG, counted by the browser.
async function countColours(png) {
	await page.goto('about:blank');
	return page.evaluate(async (base64) => {
		const image = new Image();
		image.src = 'data:image/png;base64,' + base64;
		await image.decode();
		const canvas = document.createElement('canvas');
		canvas.width = image.width;
		canvas.height = image.height;
		const c = canvas.getContext('2d');
		c.drawImage(image, 0, 0);
		const data = new Uint32Array(c.getImageData(0, 0, image.width,
			image.height).data.buffer);
		return new Set(data).size;
	}, png.toString('base64'));
}

test('few elements, however many frames', async () => {
	const folded = Array.from({ length: 30000 }, (x, i) =>
		`r;${'abcdefgh'[i % 8]};f${i % 500};g${i};h;i;j 1`).join('\n');
	await open(page, picture(folded + '\n', '--all'));
	const count = () => page.evaluate(() =>
		document.querySelectorAll('*').length);
	assert.ok(await count() < 5000, String(await count()));
	await page.click('[aria-label="Table of functions"]');
	await click(page, 'a');
	assert.ok(await count() < 5000, String(await count()));
	assert.deepEqual(await faults(), []);
	const deep = Array.from({ length: 5000 }, (x, i) => 'f' + i).join(';');
	await open(page, picture(deep + ' 1\nx 1\n'));
	assert.deepEqual(errors, []);
	assert.ok((await middle(page, 'all')).y > 0);
});

test('without script the picture is the same file without it', async () => {
	await page.goto(picture(KERNEL, '--no-script'));
	assert.equal(await page.$('script'), null);
	assert.equal(await page.$('metadata'), null);
	const box = await page.$$eval('#frames rect', (all) =>
		all.map((e) => e.getBoundingClientRect().width));
	assert.ok(box.length > 15 && box.every((w) => w > 0));
});

// A page of HTML with pictures in it: its address.
function pasted(name, head, ...hrefs) {
	const file = join(dir, name), svgs = hrefs.map((href) =>
		readFileSync(fileURLToPath(href), 'utf8').replace(/^.*\n/, ''));

	writeFileSync(file, '<!DOCTYPE html><html class="js">' + head + '<title>t</title>' +
		'<body><p class="title">before</p>' + svgs.join('<hr>') + '<p>after</p>');
	return pathToFileURL(file).href;
}

test('pasted into HTML, each picture works, and disturbs no other one', async () => {
	await page.goto(pasted('two.html', '', picture(KERNEL), picture('a;b 3\na;c 1\n',
		'-c', 'blue', '--title', 'Two')));
	await page.waitForFunction(() => document.querySelectorAll('iframe').length === 2 &&
		!document.querySelector('body>svg'));
	assert.match(await page.$eval('body', (e) => e.innerText), /^before\s+after$/);
	assert.equal(await page.$eval('html', (e) => e.className), 'js');
	assert.equal(await page.$eval('p', (e) => getComputedStyle(e).fill), 'rgb(0, 0, 0)');
	const [one, two] = page.frames().slice(1);
	const names = (frame) => frame.$$eval('#frames g[role=treeitem]', (all) =>
		all.map((e) => e.getAttribute('aria-label').split(',')[0]));
	assert.deepEqual(await names(two), ['all', 'a', 'b', 'c']);
	const before = await names(one);
	const colour = () => one.$eval('#frames .c0', (e) => getComputedStyle(e).fill);
	const was = await colour();
	await (await two.$('#frames g:nth-of-type(4) rect')).click();
	await two.waitForFunction(() => location.hash.includes('zoom=a;c'));
	assert.deepEqual(await names(two), ['all', 'a', 'c']);
	await two.press('#frames', '/');
	await page.keyboard.type('c');
	await two.waitForFunction(() => /^1 match/.test(document.querySelector('.found').textContent));
	assert.equal(new URL(page.url()).hash, '');
	assert.deepEqual(await names(one), before);
	assert.equal(await colour(), was);
	assert.equal(await one.$eval('.found', (e) => e.textContent), '');
	await (await one.$('#frames g:nth-of-type(2) rect')).click({ button: 'right' });
	assert.ok(!(await one.$$eval('.menu button', (all) => all.map((e) => e.textContent)))
		.includes('Copy link'));
});

test('where a page allows no frame, the pasted picture is seen', async () => {
	await page.goto(pasted('csp.html', '<meta http-equiv="Content-Security-Policy" ' +
		'content="frame-src \'none\'">', picture(KERNEL)));
	const box = await page.$eval('svg #frames', (e) =>
		e.getBoundingClientRect().height);
	assert.ok(box > 80, String(box));
	assert.match(await page.$eval('body', (e) => e.innerText.trim()
		.replace(/\s+/g, ' ')), /^before Flame Graph all idle 12 % CPU#0 k [^{]* after$/);
	await eventually(() => assert.match(errors.join(), /frame-src/));
	errors.length = 0;
});

test('no error was printed', () => {
	assert.deepEqual(errors, []);
});
