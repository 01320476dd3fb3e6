// SPDX-License-Identifier: ISC
// The script's functions that need no document.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';

const share = new URL('../../share/svg/', import.meta.url);
const files = readdirSync(share).filter((f) => f.endsWith('.js')).sort();
const exported = ['decodeNumbers', 'decodeNames', 'decodeTree', 'finishTree',
	'filterTree', 'mergeTree', 'reverseTree', 'placesOf', 'pathOf',
	'followPath', 'nodesOf', 'siblingPlaces', 'orderOf', 'formatCount', 'formatPercent', 'marginOf',
	'fitText', 'niceStep', 'formatTick', 'sourceOf', 'linkOf', 'makeTest',
	'matchNames', 'matchedShare', 'functionTable', 'stateText', 'parseState',
	'emptyState', 'shorten', 'visibleFrames', 'nodeAt', 'changeClass', 'sideways',
	'weighTree', 'changeOf', 'relativeOf', 'relativeText', 'Matcher', 'formatAmount', 'sandwichTree', 'fitName', 'partsOf', 'turnSides'];
const k = runInNewContext("'use strict';" +
	files.map((f) => readFileSync(new URL(f, share), 'utf8')).join('\n') +
	`\n({ ${exported.join(', ')} })`, { Uint8Array });
const plain = (x) => JSON.parse(JSON.stringify(x));
const list = (x) => Array.from(x);

// Writes numbers as the program does.
function digits(...numbers) {
	return digitsOf(numbers);
}

function digitsOf(numbers) {
	return numbers.map((n) => {
		const d = [];

		do {
			d.unshift(n % 32);
			n = Math.floor(n / 32);
		} while (n);
		return d.map((x, i) => String.fromCharCode(63 + x +
			(i < d.length - 1 ? 32 : 0))).join('');
	}).join('');
}

// all(0) -> a(1) [self 2] -> b(2) [3]; all -> b(2) [5] -> a(1) [1, rest 4]
function sample() {
	return k.finishTree(k.decodeTree(digits(0, 0, 0, 0, 0, 1, 2, 0, 0, 2, 3,
		0, 2, 2, 5, 0, 0, 1, 1, 4), 1, false), [1]);
}

// Each node as `depth name total`.
const show = (t) => list(t.name).map((n, i) =>
	`${t.depth[i]} ${n} ${t.total[0][i]}`);

test('numbers of every length', () => {
	const all = [0, 1, 31, 32, 1023, 1024, 2 ** 31, 2 ** 40, 2 ** 53 - 1];
	const text = digits(...all);

	assert.deepEqual(list(k.decodeNumbers(text)), all);
	assert.doesNotMatch(text, /[<>&"]/);
	assert.deepEqual(list(k.decodeNames('a\n\nb c\n')), ['a', '', 'b c']);
});

test('a tree is read with its totals', () => {
	const t = sample();

	assert.deepEqual(show(t), ['0 0 15', '1 1 5', '2 2 3', '1 2 10',
		'2 1 5']);
	assert.deepEqual(list(t.end), [5, 3, 3, 5, 5]);
	assert.deepEqual(list(t.x), [0, 0, 0, 5, 5]);
});

test('filter, merge, reverse', () => {
	const t = sample(), rank = [0, 1, 2];

	assert.deepEqual(show(k.filterTree(t, (i) => i === 3)),
		['0 0 5', '1 1 5', '2 2 3']);
	assert.deepEqual(show(k.mergeTree(t, k.placesOf(t, 1), 1, null)),
		['0 1 10', '1 2 3']);
	assert.deepEqual(show(k.mergeTree(t, [0], 0, k.orderOf('width', rank))),
		['0 0 15', '1 2 10', '2 1 5', '1 1 5', '2 2 3']);
	assert.deepEqual(show(k.reverseTree(t, 9, 0, k.orderOf('width', rank))),
		['0 0 15', '1 2 8', '2 1 3', '1 9 4', '2 1 4', '3 2 4',
			'1 1 3', '2 2 1']);
});

// main calls f twice and f calls itself, in stacks of 1, 2, 4 and 8:
// main(1);f(2);g(3) 1, main;f;f;g 2, main;h(4);f;f 4, main;h 8
function recursive() {
	return k.finishTree(k.decodeTree(digits(0, 0, 0, 0, 0, 1, 0, 0,
		0, 2, 0, 0, 0, 2, 0, 0, 0, 3, 2, 0, 2, 3, 1, 0,
		2, 4, 8, 0, 0, 2, 0, 0, 0, 2, 4, 0), 1, false), [1]);
}

test('callers and callees of one function', () => {
	const t = recursive();
	const both = (up, down, byLeaf = false) => k.sandwichTree(t, 2,
		{ up, down, byLeaf, least: 0, compare: null });

	assert.deepEqual(show(both([], [])), ['0 2 7', '1 2 6', '2 3 2', '1 3 1',
		'-1 1 3', '-1 4 4', '-2 1 4']);
	assert.deepEqual(show(both([], []).stacks).slice(0, 2), ['0 0 7', '1 1 7']);
	// only what h called, and only what went on to f and g
	assert.deepEqual(show(both([4], [])), ['0 2 4', '1 2 4', '-1 4 4', '-2 1 4']);
	assert.deepEqual(show(both([], [2, 3])), ['0 2 2', '1 2 2', '2 3 2',
		'-1 1 2']);
	assert.deepEqual(list(both([], []).x), [0, 0, 0, 6, 0, 3, 3]);
	const turned = k.turnSides(both([], []));
	assert.deepEqual([turned.minDepth, turned.maxDepth, turned.callees],
		[-2, 2, -1]);
	assert.deepEqual(show(turned)[4], '1 1 3');
});

test('direct recursion is merged', () => {
	const t = recursive();

	assert.deepEqual(show(k.mergeTree(t, [0], 0, null, true)), ['0 0 15',
		'1 1 15', '2 2 3', '3 3 3', '2 4 12', '3 2 4']);
});

test('paths', () => {
	const t = sample();

	const steps = (...ids) => ids.map((id) => ({ id, nth: 0 }));
	assert.deepEqual(plain(k.pathOf(t, 4)), steps(2, 1));
	assert.equal(k.followPath(t, steps(2, 1)), 4);
	assert.equal(k.followPath(t, steps(2, 7)), 3);
	assert.equal(k.followPath(t, []), 0);
	assert.equal(k.nodeAt(t, 2, 5.5), 4);
	assert.equal(k.nodeAt(t, 2, 4), -1);
	assert.deepEqual([...k.siblingPlaces(t, [0, 3, 4])].map(plain),
		[[0, [1, 1]], [3, [2, 2]], [4, [1, 1]]]);
	assert.equal(k.sideways(t, 1, 1), 3);
	assert.equal(k.sideways(t, 4, -1), 2);
});

test('a chart begins where it was recorded', () => {
	const t = k.finishTree(k.decodeTree(digits(0, 0, 0, 9, 0, 0, 1, 2, 0, 4),
		1, true), [1]);

	assert.deepEqual(list(t.x), [0, 4]);
	// all -> a, b, a: the second a is not the first one
	const same = k.finishTree(k.decodeTree(digits(0, 0, 0, 0, 0,
		0, 1, 2, 0, 0, 1, 2, 2, 0, 2, 1, 1, 2, 0, 2), 1, true), [1]);
	assert.deepEqual(plain(k.pathOf(same, 3)), [{ id: 1, nth: 1 }]);
	for (const node of [1, 2, 3])
		assert.equal(k.followPath(same, k.pathOf(same, node)), node);
	assert.equal(k.followPath(same, [{ id: 1, nth: 9 }]), 0);
	assert.deepEqual(plain(k.nodesOf(same, [1], [0])), [1, 3]);
});

test('matches are counted once a stack, inside the window', () => {
	const t = sample();
	const flags = k.matchNames(['all', 'a', 'b'], k.makeTest('a', false, true));

	assert.deepEqual(list(flags), [1, 1, 0]);
	assert.equal(k.matchedShare(t, flags, 0, 15, 1).width, 10);
	assert.equal(k.matchedShare(t, flags, 3, 6, 1).width, 3);
	assert.equal(k.matchedShare(t, flags, 0, 15, 1).lost, 0);
	// b's inner a lacks 4, which may hold a c or not
	assert.deepEqual([k.matchedShare(t, [0, 0, 0], 0, 15, 1).lost,
		k.matchedShare(t, [0, 0, 0], 0, 5, 1).lost], [4, 0]);
	// a frame without weight is not seen
	const empty = k.finishTree(k.decodeTree(digits(0, 0, 0, 0, 0, 1, 3, 0, 1, 2,
		0, 0, 1, 2, 7, 0), 1, false), [1]);
	assert.deepEqual(list(k.matchedShare(empty, [0, 0, 1], 0, 10, 1).nodes), [3]);
	// a match on a match: found, but its share is not counted again
	const nested = k.matchedShare(t, [1, 1, 1], 0, 15, 1);
	assert.equal(nested.width, 15);
	assert.deepEqual(plain(nested.nodes), [1, 2, 3, 4]);
	assert.throws(() => k.makeTest('(', true, true));
	assert.throws(() => k.makeTest('a'.repeat(1e5), false, true));
	assert.ok(k.makeTest('a\\-b', true, true).test('xa-b'));
	assert.ok(k.makeTest('^.$', true, true).test('\u{1f525}'));
	assert.ok(k.makeTest('(', false, true).test('x('));
	assert.ok(!k.makeTest('A', false, false).test('a'));
});

test('functions: self and total', () => {
	const t = sample(), names = ['all', 'a', 'b'];

	const rows = (lo, hi, by, flags, byLeaf) => plain(k.functionTable(t, names,
		{ lo, hi, by, flags, byLeaf, ratio: 1, first: 1 }))
		.map((r) => [r.id, r.self, r.total]);

	assert.deepEqual(rows(0, 15, 'self', null), [[2, 8, 13], [1, 3, 10]]);
	assert.deepEqual(rows(0, 5, 'name', null), [[1, 2, 5], [2, 3, 3]]);
	// an edge that is rounded leaves a neighbour out, and nothing of its own
	assert.deepEqual(rows(0, 5 + 1e-12, 'name', null), [[1, 2, 5], [2, 3, 3]]);
	assert.deepEqual(rows(0, 15 - 1e-12, 'self', null), [[2, 8, 13], [1, 3, 10]]);
	assert.deepEqual(rows(0, 5, '-name', null), [[2, 3, 3], [1, 2, 5]]);
	assert.deepEqual(rows(0, 15, '-total', null), [[1, 3, 10], [2, 8, 13]]);
	// b's inner a alone: none of b's own time is in the window
	assert.deepEqual(rows(5, 10, 'name', null), [[1, 1, 5], [2, 0, 5]]);
});

test('numbers for people', () => {
	assert.equal(k.formatCount(1234567, 0), '1,234,567');
	assert.equal(k.formatCount(12345, 2), '123.45');
	assert.equal(k.formatCount(12340, 2), '123.4');
	assert.equal(k.formatCount(-5, 0), '−5');
	assert.equal(k.formatCount(0, 3), '0');
	assert.equal(k.formatCount(1, 15), '0.000000000000001');
	assert.equal(k.formatCount(-18446744073709551615n, 0),
		'−18,446,744,073,709,551,615');
	assert.equal(k.formatCount(18446744073709551615000000000000000001n, 18),
		'18,446,744,073,709,551,615.000000000000000001');
	assert.equal(k.formatPercent(1, 3), '33.33%');
	assert.equal(k.formatPercent(4, 3), '100.00%');
	assert.equal(k.formatPercent(0, 0), '0.00%');
	assert.ok(Math.abs(k.marginOf(50, 100, Infinity) - 9.6) < 0.2);
	assert.ok(k.marginOf(0, 100, 100) > 3.6);
	// 4 CPUs of 25 stops tell as much as 25 samples
	assert.equal(k.marginOf(50, 100, 25), k.marginOf(12.5, 25, 25));
	assert.equal(k.formatAmount(5, { countname: 'constructor', decimals: 0 }), '5 constructor');
	assert.equal(k.formatAmount(1250000, { countname: 'ns', decimals: 0 }),
		'1.25 ms');
	assert.equal(k.formatAmount(3565158, { countname: 'bytes', decimals: 0 }),
		'3.4 MiB');
	assert.equal(k.formatAmount(5, { countname: 's', decimals: 1 }), '500 ms');
	const amount = (v, countname) => k.formatAmount(v, { countname, decimals: 0 });
	assert.equal(amount(1.1018e14, 'bytes'), '100.2 TiB');
	assert.equal(amount(1.1018e18, 'bytes'), '1,002,081 TiB');
	assert.equal(amount(12345, 's'), '12,345 s');
	assert.equal(amount(1, 'samples'), '1 sample');
	assert.equal(amount(2, 'samples'), '2 samples');
	assert.equal(amount(1, 's'), '1 s');
	assert.equal(k.niceStep(100, 7), 20);
	assert.equal(k.formatTick(2500, 'ns'), '2.5 µs');
	assert.equal(k.formatTick(2500, 'samples'), '2500');
});

test('text is cut by arithmetic', () => {
	assert.equal(k.fitText('abcdef', 6 * 0.61 + 0.01), 'abcdef');
	assert.equal(k.fitText('abcdefg', 6 * 0.61 + 0.01), 'abcde…');
	assert.equal(k.fitText('abcdefg', 1), '');
	assert.equal(k.fitText('漢字漢字', 3.5), '漢字…');
	assert.equal(k.fitText('x', 0.62), 'x');
});

test('a name says what its caller and its colour do not', () => {
	const em = (n) => n * 0.61 + 0.01;

	for (const [name, letters, text, caller] of [
		['a::ext4::inode::read', 20, 'a::ext4::inode::read'],
		['a::ext4::inode::read', 19, 'inode::read'],
		['a::ext4::inode::read', 10, 'read'],
		['a::ext4::inode::read', 3, ''],
		['a::read::{{closure}}', 18, 'read::{{closure}}'],
		['a::read::{{closure}}', 9, 'read::'],
		['<&T as a::B>::call', 10, 'call'],
		['f<a::b>(c::d)', 8, ''], ['frob<a::b>(c::d)', 8, 'frob'],
		['java/util/HashMap.get', 13, 'HashMap.get'],
		['java/util/HashMap.getNode', 9, 'getNode'],
		['tcp_v4_rcv', 10, 'tcp_v4_rcv'], ['tcp_v4_rcv', 8, 'v4_rcv'],
		['tcp_v4_rcv', 5, ''], ['__do_softirq', 10, 'do_softirq'],
		['do_syscall_64', 10, 'syscall_64'], ['do_syscall_64', 8, 'syscall…'],
		['tcp_sendmsg_locked', 8, 'locked', '__tcp_sendmsg'],
		['tcp_sendmsg_locked', 8, 'sendmsg…', 'inet_sendmsg'],
		['writeToClient', 8, 'writeTo…'], ['writeToClient', 6, 'write…'],
		['cpu_up', 4, ''], ['_a', 1, ''], ['____', 3, ''], ['x', 1, 'x'],
		['f(int a_b_c)', 8, ''], ['kthread', 6, '']])
		assert.equal(k.fitName(name, em(letters), caller ?? ''), text, name);
	assert.deepEqual(list(k.partsOf('a:::b::/c')), [4, 7, 8]);
	assert.equal(k.fitName('a::'.repeat(2000) + 'b', em(5), ''), 'a::a…');
});

test('sums of functions are exact however narrow frames are', () => {
	const self = new Map(), total = new Map(), stacks = new Map();
	let seed = 7;
	const rnd = (n) => (seed = seed * 16807 % 2147483647) % n;
	const add = (sums, name, n) => sums.set(name, (sums.get(name) || 0) + n);

	for (let i = 0; i < 3000; i++) {
		const stack = Array.from({ length: 1 + rnd(9) }, () => 'f' + rnd(40));

		add(stacks, stack.join(';'), 1 + rnd(30));
	}
	for (const [stack, n] of stacks) {
		const frames = stack.split(';');

		add(self, frames.at(-1), n);
		for (const name of new Set(frames))
			add(total, name, n);
	}
	for (const options of [[], ['--reverse'], ['--flamechart']]) {
		const out = execFileSync(join(process.env.B, 'kst-svg'), ['--minwidth', '60', ...options],
			{ input: [...stacks].map((pair) => pair.join(' ') + '\n').join(''), encoding: 'utf8' });
		const text = (name) => new RegExp(`<k:${name}>([^<]*)`).exec(out)[1];
		const v = k.decodeNumbers(text('sums').trim());
		const names = k.decodeNames(text('functions'));

		assert.equal(names.length, 40);
		names.forEach((name, i) => assert.deepEqual([v[3 * i + 1], v[3 * i + 2]],
			[self.get(name) || 0, total.get(name)], name));
	}
});

const plainText = (xml) => xml.replace(/&lt;/g, '<').replace(/&gt;/g, '>')
	.replace(/&amp;/g, '&').replace(/[\u2068\u2069]/g, '');

test('the program cuts names as the script does', () => {
	const caller = '__do_syscall_call_main';
	const names = ['ext4_file_write_iter', 'do_syscall_64', '__a_b_c_d', 'aeProcessEvents', '____', 'q__r._sxyz', 'x_\u{1f600}\u{1f600}\u{1f600}\u{1f600}', 'a::ext4::inode::read', '<&T as a::B>::call::{{closure}}',
		'java/util/HashMap.get', 'operator/(int)', 'f<a::b>(c::d, e)', 'a:::b::/c',
		'::x::', 'with space::a', 'r\u00e4u/\u6f22\u5b57::m\u00e9thode', '//'];

	for (let width = 500; width < 3200; width += 130) {
		const out = execFileSync(join(process.env.B, 'kst-svg'),
			['-w', String(width), '--no-script'],
			{ input: names.map((s) => caller + ';' + s + ' 1\n').join(''), encoding: 'utf8' });
		const got = new Map([...out.matchAll(/<title>([^\n]*) \(1 sample.*?<.g>/g)]
			.map(([all, name]) => [plainText(name),
				plainText(/<text[^>]*>([^<]*)</.exec(all)?.[1] ?? '')]));

		for (const name of names)
			assert.equal(got.get(name), k.fitName(name,
				((width - 20) / names.length - 6) / 12, caller), name + ' ' + width);
	}
});

test('source lines and links', () => {
	assert.deepEqual(plain(k.sourceOf('f (a/b.c:12)')),
		{ file: 'a/b.c', line: '12' });
	assert.deepEqual(plain(k.sourceOf('f at b.rs:7')),
		{ file: 'b.rs', line: '7' });
	assert.equal(k.sourceOf('a::b::c'), null);
	assert.equal(k.linkOf('https://h/{file}?{line}', 'f (a"b.c:1)'),
		'https://h/a%22b.c?1');
	assert.equal(k.linkOf('https://h/{file}', 'f'), null);
	assert.equal(k.linkOf('/{file}', 'f (//evil.example/a.c:1)'), '/evil.example/a.c');
	assert.equal(k.linkOf('file:///{file}', 'f (/a/b.c:1)'), 'file:///a/b.c');
	assert.equal(k.linkOf('vscode://file{file}:{line}', 'f (/a/b.c:1)'),
		'vscode://file/a/b.c:1');
	assert.equal(k.linkOf('https://h/{name}', '<f>'), 'https://h/%3Cf%3E');
});

test('the address keeps the state', () => {
	const path = (...names) => names.map((name) => ({ name, nth: 0 }));
	const s = { ...plain(k.emptyState()),
		zoom: [{ name: 'a;', nth: 3 }, { name: 'b&=#%:2', nth: 0 }],
		q: 'x y&', regex: true, ignoreCase: false, inverted: true,
		reverse: false, order: 'width', root: 'CPU#0',
		edits: [{ hide: 'i' }, { cut: path('p', 'q') }, { focus: 'f' },
			{ hide: 'j' }], sel: path('a'), theme: 'dark',
		table: 'self', window: [0.25, 0.5], of: 'shown', widths: 'after',
		norm: true };

	assert.deepEqual(plain(k.parseState('#' + k.stateText(s))), s);
	assert.deepEqual(plain(k.parseState('')), plain(k.emptyState()));
	assert.deepEqual(plain(k.parseState('#zoom=%&window=3-1&what=x')),
		plain(k.emptyState()));
});

test('few nodes, however many frames', () => {
	const n = 50000, leaves = Array.from({ length: n }, (x, i) =>
		[i ? 1 : 0, 1, 1, 0]);
	const t = k.decodeTree(digitsOf([0, 0, 0, 0].concat(leaves.flat())), 1,
		false);
	const { elements, runs } = k.visibleFrames(k.finishTree(t, [1]), 0, n, 1180,
		[0, 9], (i) => i === 40000);

	assert.equal(elements.length, 1);
	assert.ok(runs.length < 2500);
	assert.ok(Math.abs(runs.at(-1).end - 1180) < 0.1);
	assert.equal(runs.filter((r) => r.match).length, 1);
});

test('of one deep stack the rows that are seen are elements', () => {
	const t = k.finishTree(k.decodeTree(digitsOf(Array.from({ length: 5000 },
		(x, i) => [0, 0, i < 4999 ? 0 : 1, 0]).flat()), 1, false), [1]);
	const seen = (from, to) => k.visibleFrames(t, 0, 1, 1180, [from, to],
		() => false);

	assert.deepEqual(list(seen(2000, 2002).elements), [2000, 2001, 2002]);
	assert.deepEqual(list(seen(2000, 2002).runs), []);
	const all = seen(0, 4999);
	assert.equal(all.elements.length, 700);
	assert.equal(all.elements.at(-1), 699);
	assert.equal(all.runs.length, 4300);
});

test('long texts are shortened, and no character is halved', () => {
	assert.equal(k.shorten('abc', 3), 'abc');
	assert.equal(k.shorten('abcd', 3), 'ab…');
	assert.equal(k.shorten('a\u{1f525}bc', 3), 'a…');
});

test('classes of change', () => {
	assert.equal(k.changeClass(100, 100, 1, 1000), 4);
	assert.equal(k.changeClass(100, 105, 1, 1000), 4);
	assert.equal(k.changeClass(0, 500, 1, 1000), 8);
	assert.equal(k.changeClass(500, 0, 1, 1000), 0);
	assert.equal(k.changeClass(1000, 3000, 2, 100000), 7);
	assert.equal(k.changeClass(100, 105, 1, 1000, true), 6);
	assert.equal(k.changeClass(100, 100, 1, 1000, true), 4);
});

test('a change is one quantity', () => {
	assert.equal(k.changeOf(1000, 1200, 1), 200);
	assert.equal(k.changeOf(2n ** 60n, 2n ** 60n + 1n, 1), 1n);
	assert.equal(k.changeOf(1000, 1200, 2), -800);
	assert.equal(k.relativeOf(1000, -800, 2), -0.4);
	assert.equal(k.relativeText(1000, 1200, 0.2), '+20.00%');
	assert.equal(k.relativeText(0, 3, Infinity), 'new');
	assert.equal(k.relativeText(3, 0, -1), 'gone');
});

test('widths before and after', () => {
	const t = k.finishTree(k.decodeTree(digits(0, 0, 0, 0, 0, 0,
		0, 1, 1, 0, 3, 0, 1, 2, 2, 0, 0, 0), 2, false), [1, 1]);

	assert.deepEqual(list(t.width), [6, 4, 2]);
	assert.deepEqual(list(k.weighTree(t, [1, 0]).width), [3, 1, 2]);
	assert.deepEqual(list(k.weighTree(t, [0, 1]).x), [0, 0, 3]);
});
