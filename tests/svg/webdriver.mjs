// SPDX-License-Identifier: ISC
// Firefox by Marionette and WebKitGTK by WebDriver, both with the commands of
// WebDriver; no package is needed. Each in a window of its own under Xvfb.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dir } from './browser.mjs';

const running = [];
let display, pages = 0;

// Ends what was started: a child that runs keeps the tests from ending.
export function end() {
	for (const p of running.splice(0))
		try {
			process.kill(-p.pid, 'SIGKILL');
		} catch (e) {
			// it has ended
		}
	display = undefined;
}
process.on('exit', end);

// A program in a process group of its own, which ends with the test.
function start(program, args, env) {
	const p = spawn(program, args, { detached: true,
		stdio: ['ignore', 'pipe', 'ignore'],
		env: { ...process.env, ...env } });

	running.push(p);
	p.on('error', (e) => {
		throw e;
	});
	return p;
}

// The display of an Xvfb of our own, such as `:99`.
export function xvfb() {
	display ||= new Promise((done, fail) => {
		const p = spawn('Xvfb', ['-displayfd', '3', '-screen', '0',
			'2600x1600x24', '-nolisten', 'tcp'], { detached: true,
			stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });

		running.push(p);
		p.on('error', fail);
		p.stdio[3].once('data', (d) => done(':' + String(d).trim()));
	});
	return display;
}

async function retried(act, ms = 100000) {
	for (const until = Date.now() + ms; ;) {
		try {
			return await act();
		} catch (e) {
			if (Date.now() > until)
				throw e;
		}
		await sleep(100);
	}
}

// Commands as `length:json` over a socket: [0, number, name, parameters].
class Marionette {
	constructor(socket) {
		this.socket = socket;
		this.waiting = new Map();
		this.id = 0;
		let buffer = Buffer.alloc(0);
		socket.on('data', (d) => {
			buffer = Buffer.concat([buffer, d]);
			for (;;) {
				const colon = buffer.indexOf(':');
				const n = +buffer.subarray(0, Math.max(colon, 0));
				if (colon < 0 || buffer.length < colon + 1 + n)
					return;
				this.got(JSON.parse(buffer.subarray(colon + 1,
					colon + 1 + n)));
				buffer = buffer.subarray(colon + 1 + n);
			}
		});
	}

	got(message) {
		const [, id, error, result] = Array.isArray(message) ? message : [];
		const { done, fail } = this.waiting.get(id) || {};

		if (error)
			fail(new Error(error.message));
		else if (done)
			done(result);
	}

	send(name, parameters = {}) {
		const text = Buffer.from(JSON.stringify([0, ++this.id,
			'WebDriver:' + name, parameters]));

		this.socket.write(`${text.length}:`);
		this.socket.write(text);
		return new Promise((done, fail) =>
			this.waiting.set(this.id, { done, fail }));
	}

	async call(name, parameters) {
		const result = await this.send(name, parameters);

		return result && 'value' in result ? result.value : result;
	}
}

async function firefox() {
	const profile = mkdtempSync(join(dir, 'f.'));
	const port = 20000 + process.pid % 20000;

	writeFileSync(join(profile, 'user.js'), [
		`user_pref("marionette.port", ${port});`,
		'user_pref("datareporting.policy.dataSubmissionEnabled", false);',
		'user_pref("browser.shell.checkDefaultBrowser", false);',
		'user_pref("browser.startup.homepage_override.mstone", "ignore");',
		'user_pref("app.update.enabled", false);',
		'user_pref("network.captive-portal-service.enabled", false);',
		'user_pref("network.connectivity-service.enabled", false);',
		'user_pref("general.smoothScroll", false);',
		'user_pref("toolkit.cosmeticAnimations.enabled", false);'
	].join('\n'));
	start('firefox-esr', ['--marionette', '--no-remote', '--profile', profile,
		'about:blank'], { DISPLAY: await xvfb(), HOME: profile });
	const socket = await retried(() => new Promise((done, fail) => {
		const s = connect(port, '127.0.0.1', () => done(s));

		s.on('error', fail);
	}));
	socket.unref();
	const m = new Marionette(socket);
	await m.send('NewSession', {});
	return (name, parameters) => m.call(name, parameters);
}

const PATHS = { Navigate: ['POST', 'url'], ExecuteScript: ['POST', 'execute/sync'],
	PerformActions: ['POST', 'actions'], TakeScreenshot: ['GET', 'screenshot'],
	SetWindowRect: ['POST', 'window/rect'], GetCurrentURL: ['GET', 'url'],
	DeleteSession: ['DELETE', ''] };

async function webkit() {
	const port = 40000 + process.pid % 20000, home = mkdtempSync(join(dir, 'w.'));

	mkdirSync(join(home, 'run'), { mode: 0o700 });
	start('WebKitWebDriver', ['--port=' + port, '--host=127.0.0.1'],
		{ DISPLAY: await xvfb(), HOME: home, XDG_RUNTIME_DIR: join(home, 'run'),
			WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
			WEBKIT_DISABLE_COMPOSITING_MODE: '1', LIBGL_ALWAYS_SOFTWARE: '1' });
	const request = async (method, path, body) => {
		const reply = await fetch(`http://127.0.0.1:${port}/session${path}`,
			{ method, body: body && JSON.stringify(body) });
		const { value } = await reply.json();

		if (value && value.error)
			throw new Error(value.error + ': ' + value.message);
		return value;
	};
	const { sessionId } = await retried(() => request('POST', '', {
		capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': {
			binary: '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser',
			args: ['--automation'] } } } }));
	return (name, parameters) => {
		const [method, path] = PATHS[name];

		return request(method, `/${sessionId}/${path}`,
			method === 'POST' ? parameters : undefined);
	};
}

const SHIFT = '\ue008';
const KEYS = { ArrowLeft: '\ue012', ArrowRight: '\ue014', Enter: '\ue007', Escape: '\ue00c', Backspace: '\ue003',
	Tab: '\ue004' };

// A page as the tests use it.
export async function launchDriver(which, size = { width: 1200, height: 800 }) {
	const call = await { firefox, webkit }[which]();
	const evaluate = (script, ...args) => call('ExecuteScript',
		{ script: `return (${script})(...arguments)`, args });
	const act = (...actions) => call('PerformActions', { actions });
	const pointer = (...actions) => ({ type: 'pointer', id: 'mouse',
		parameters: { pointerType: 'mouse' }, actions });
	const move = ({ x, y }) => ({ type: 'pointerMove', duration: 0,
		x: Math.round(x), y: Math.round(y), origin: 'viewport' });

	const page = {
		evaluate,
		go: (href) => call('Navigate', { url: href }),
		async goto(href) {
			await page.go('about:blank');
			await page.go(href);
			await retried(async () => {
				if (!await evaluate(() =>
					document.documentElement.dataset.ready))
					throw new Error('no picture: ' + href);
			});
		},
		async size({ width, height }) {
			let w = width, h = height;

			for (let i = 0; i < 4; i++) {
				await call('SetWindowRect', { width: w, height: h, x: 0, y: 0 });
				await sleep(200);
				const [iw, ih] = await evaluate(() => [innerWidth, innerHeight]);
				if (iw === width && ih === height)
					break;
				w += width - iw;
				h += height - ih;
			}
		},
		move: (at) => act(pointer(move(at))),
		click: (at, button = 0) => act(pointer(move(at),
			{ type: 'pointerDown', button }, { type: 'pointerUp', button })),
		// With Shift held, if so: both rows of actions have as many steps.
		drag: (from, to, shift = false) => act({ type: 'key', id: 'key',
			actions: [...shift ? [{ type: 'keyDown', value: SHIFT }] : [],
				...Array(4).fill({ type: 'pause', duration: 0 }),
				...shift ? [{ type: 'keyUp', value: SHIFT }] : []] },
		pointer(...shift ? [{ type: 'pause', duration: 0 }] : [], move(from),
			{ type: 'pointerDown', button: 0 }, move(to),
			{ type: 'pointerUp', button: 0 })),
		type: (text) => act({ type: 'key', id: 'key',
			actions: [...text].flatMap((value) => [{ type: 'keyDown', value },
				{ type: 'keyUp', value }]) }),
		press: (key) => page.type(KEYS[key] || key),
		wheel: ({ x, y }, deltaY) => act({ type: 'wheel', id: 'wheel',
			actions: [{ type: 'scroll', x: Math.round(x), y: Math.round(y),
				deltaX: 0, deltaY, origin: 'viewport' }] }),
		screenshot: async (file) => writeFileSync(file, Buffer.from(
			await call('TakeScreenshot', { full: false }), 'base64')),
		async close() {
			await call('DeleteSession', {}).catch(() => {});
			if (--pages === 0)
				end();
		}
	};

	pages++;
	await page.size(size);
	return page;
}
