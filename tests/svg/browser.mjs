// SPDX-License-Identifier: ISC
// A headless Chromium with a new, empty profile, and pictures to open in it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach } from 'node:test';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const dir = mkdtempSync(join(tmpdir(), 'kst-svg-test.'));
process.on('exit', () => rmSync(dir, { recursive: true, force: true }));

// With `display` it is a window there, as a user's, and not headless.
export async function launch(size = { width: 1200, height: 800 }, more = {}, display) {
	const context = await chromium.launchPersistentContext(mkdtempSync(join(dir, 'p.')), {
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		headless: !display, viewport: size, reducedMotion: 'reduce', timeout: 200000,
		...more,
		...display && { env: { ...process.env, DISPLAY: display } },
		args: [...display ? ['--ozone-platform=x11'] : ['--headless'], '--no-sandbox', '--disable-gpu',
			'--disable-quic', '--no-first-run',
			'--disable-background-networking',
			'--disable-component-update', '--disable-sync']
	});

	context.setDefaultTimeout(200000);
	return context;
}

let made = 0;

// Draws folded text as a file that is well-formed; returns the file's address.
export function picture(folded, ...options) {
	const file = join(dir, ++made + '.svg');

	writeFileSync(file + '.folded', folded);
	writeFileSync(file, execFileSync(join(process.env.B, 'kst-svg'),
		[...options, file + '.folded'],
		{ maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] }));
	execFileSync('xmllint', ['--noout', file]);
	return pathToFileURL(file).href;
}

// Opens an address and waits until the script has drawn.
export async function open(page, href) {
	await page.goto('about:blank');
	await page.goto(href);
	await page.waitForSelector('svg[data-ready]');
}

// Chooses a value in the menu of the view.
export async function choose(page, label, value) {
	await page.click('[aria-label=View]');
	await page.selectOption(`.view [aria-label="${label}"]`, value);
	await page.keyboard.press('Escape');
}

// A small graph of two CPUs, of 100 samples.
export const FOLDED = `CPU#0;main;read;copy 30
CPU#0;main;read;lock 10
CPU#0;main;write 20
CPU#1;idle 25
CPU#1;main;read;copy 10
CPU#1;main;recurse;recurse;copy 5
`;

// A browser for the tests of a file, and what goes wrong in its page. With folded
// text each test begins at the picture of that, whose address is href.
export async function begin(folded, ...options) {
	const context = await launch();
	const page = context.pages()[0], errors = [];
	const href = folded && picture(folded, ...options);

	page.on('pageerror', (e) => errors.push(String(e)));
	page.on('console', (m) => m.type() === 'error' && errors.push(m.text()));
	after(() => context.close());
	if (href)
		beforeEach(() => open(page, href));
	return { context, page, errors, href };
}

// The labels of the frames that are elements: `name, count, share`.
export function labels(page) {
	return page.$$eval('#frames g[role=treeitem]', (all) =>
		all.map((e) => e.getAttribute('aria-label')));
}

export async function names(page) {
	return (await labels(page)).map((s) => s.split(', ')[0]);
}

// The middle of the frame with that name, on the page.
export async function middle(page, name) {
	return page.$$eval('#frames g[role=treeitem]', (all, wanted) => {
		const e = all.find((x) =>
			x.getAttribute('aria-label').startsWith(wanted + ', '));
		const b = e.firstChild.getBoundingClientRect();

		return { x: b.x + b.width / 2, y: b.y + b.height / 2,
			width: b.width };
	}, name);
}

export async function click(page, name, options) {
	const at = await middle(page, name);

	await page.mouse.click(at.x, at.y, options);
}

// Until the assertions of check hold: going back in the history takes a while.
export async function eventually(check) {
	const until = Date.now() + 200000;

	for (;;) {
		try {
			return await check();
		} catch (e) {
			if (Date.now() > until)
				throw e;
		}
		await new Promise((done) => setTimeout(done, 20));
	}
}

export function details(page) {
	return page.$eval('.details', (e) => e.textContent);
}
