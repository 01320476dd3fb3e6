/* SPDX-License-Identifier: ISC */
/* Numbers and texts as a person reads them. */

/* Advances of a monospaced letter, and of one that may be wider, in em. */
const NARROW = 0.61, WIDE = 1.12;

/* A weight in units of 10^-decimals, a number or BigInt: `12,345.5`. */
function formatCount(v, decimals) {
	const size = typeof v === 'bigint' ? String(v) : Math.round(v).toFixed(0);
	const digits = size.replace('-', '').padStart(decimals + 1, '0');
	const dot = digits.length - decimals;
	const whole = digits.slice(0, dot).replace(/\B(?=(\d{3})+$)/g, ',');
	const part = digits.slice(dot).replace(/0+$/, '');

	return (v < 0 ? '−' : '') + whole + (part ? '.' + part : '');
}

function formatPercent(part, whole) {
	const p = whole > 0 ? Number(part) * 100 / Number(whole) : 0;

	return Math.min(p, 100).toFixed(2) + '%';
}

/*
 * The ± of a share that n samples out of `of` make, in percent, at 95 %:
 * half of the Wilson interval, which is right for small numbers, too.
 */
function marginOf(n, of) {
	const z = 1.96, p = of > 0 ? n / of : 0;

	if (of <= 0)
		return 0;
	return 100 * z / (1 + z * z / of) *
		Math.sqrt(p * (1 - p) / of + z * z / (4 * of * of));
}

function isNarrow(code) {
	return code < 0x530;
}

/* The beginning of a text of more than `max` characters. */
function shorten(text, max) {
	if (text.length <= max)
		return text;
	return text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '') + '…';
}

/* The beginning of a text that fits into `room` em, or ''. */
function fitText(text, room) {
	let used = 0, cut = 0, i = 0;

	if (text.length * NARROW > room && room < 3 * NARROW)
		return '';
	while (i < text.length) {
		const code = text.codePointAt(i);

		used += isNarrow(code) ? NARROW : WIDE;
		if (used > room)
			return cut < 2 ? '' : text.slice(0, cut) + '…';
		i += code > 0xffff ? 2 : 1;
		if (used + NARROW <= room)
			cut = i;
	}
	return text;
}

/* Steps of 1, 2 or 5 for about `n` ticks on an axis. */
function niceStep(span, n) {
	const raw = span / Math.max(n, 1);
	const unit = 10 ** Math.floor(Math.log10(raw));
	const times = raw / unit;

	return unit * (times > 5 ? 10 : times > 2 ? 5 : times > 1 ? 2 : 1);
}

const TIME_UNITS = { ns: 1, nanoseconds: 1, us: 1e3, 'µs': 1e3,
	microseconds: 1e3, ms: 1e6, milliseconds: 1e6, s: 1e9, sec: 1e9,
	seconds: 1e9 };

/* A point on the axis, for counts of that name. */
function formatTick(v, countname) {
	const ns = v * (TIME_UNITS[countname] || 0);
	const [unit, name] = ns >= 1e9 ? [1e9, 's'] : ns >= 1e6 ? [1e6, 'ms'] :
		ns >= 1e3 ? [1e3, 'µs'] : [1, 'ns'];

	if (!TIME_UNITS[countname])
		return String(+v.toPrecision(12));
	return v === 0 ? '0' : +(ns / unit).toPrecision(9) + ' ' + name;
}

/*
 * Source file and line in a name: `f (a/b.c:12)`, `f at b.rs:7`, `b.c:12`,
 * or null.
 */
function sourceOf(name) {
	const m = /(?:^|[\s(@[])([^\s()@[\]:]+\.[A-Za-z]\w{0,4}):(\d+)(?::\d+)?[)\]]?$/
		.exec(name);

	return m ? { file: m[1], line: m[2] } : null;
}

/* The template with {file}, {line} and {name} filled in. */
function linkOf(template, name) {
	const source = sourceOf(name);

	if (!template || (!source && /\{(file|line)\}/.test(template)))
		return null;
	const values = { name: encodeURIComponent(name) };
	if (source) {
		values.file = source.file.split('/').map(encodeURIComponent)
			.join('/');
		values.line = source.line;
	}
	return template.replace(/\{(file|line|name)\}/g, (all, k) => values[k]);
}
