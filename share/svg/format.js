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
 * The ± of a share that n samples out of `of` make, in percent, at 95 %: the
 * larger distance to an end of the Wilson interval. CPUs of one stop may all
 * wait for the same thing, so each of `stops` counts once.
 */
function marginOf(n, of, stops) {
	const z = 1.96, m = Math.min(stops, of), p = of > 0 ? n / of : 0;

	if (!(m > 0))
		return 0;
	const centre = (p + z * z / (2 * m)) / (1 + z * z / m);
	const half = z / (1 + z * z / m) *
		Math.sqrt(p * (1 - p) / m + z * z / (4 * m * m));
	return 100 * Math.max(centre + half - p, p - centre + half);
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

		used += code < 0x530 ? NARROW : WIDE;
		if (used > room)
			return cut < 2 ? '' : text.slice(0, cut) + '…';
		i += code > 0xffff ? 2 : 1;
		if (used + NARROW <= room)
			cut = i;
	}
	return text;
}

/* Longer names are cut at the end: their parts would take too long to find. */
const PARTS_WITHIN = 4096, LETTERS_MIN = 4;

/* Where parts of a name begin, as the program's text.c finds them. */
function partsOf(name) {
	const starts = [], marks = /[<([{>)\]}]| |::+|\/(?=\w)/g;
	let depth = 0, found;

	while ((found = marks.exec(name)) !== null) {
		const mark = found[0], next = name[marks.lastIndex];

		if ('<([{'.includes(mark))
			depth++;
		else if ('>)]}'.includes(mark))
			depth = Math.max(0, depth - 1);
		else if (depth === 0 && mark === ' ')
			break;
		else if (depth === 0 && next !== undefined && next !== '{')
			starts.push(marks.lastIndex);
	}
	return starts;
}

/* The last part of a name, without arguments and underscores before it. */
function lastPart(name) {
	return /^_*(.[^<({[]*|.*)/s.exec(name.slice(partsOf(name).at(-1) || 0))[1];
}

/* Where words of a part end: at `_` or `.`, and before a capital. */
function wordEnds(part) {
	return [...part.matchAll(/[a-z0-9](?=[A-Z])|[^_. ](?=[_. ])/g)].map((m) => m.index + 1);
}

/* Few letters tell nothing. */
const tells = (text) => [...text].length >= LETTERS_MIN;

/* Without the words that the caller's name begins with, too. */
function ownWords(part, parent) {
	const other = lastPart(parent) + '_';
	let at = 0;

	while (at < part.length && part[at] === other[at])
		at++;
	return part.slice(/^(.*[_.])?/s.exec(part.slice(0, at))[0].length);
}

/*
 * A name as much of it as fits into `room` em, or '': whole; its last two parts;
 * its last part; without what its caller's name says; without its first word, which
 * tends to name the subsystem, as the colour does. Else words from the
 * beginning of the last part.
 */
function fitName(name, room, parent) {
	if (fitText(name, room) === name || name.length > PARTS_WITHIN)
		return fitText(name, room);
	const last = lastPart(name), own = ownWords(last, parent);
	const rest = last.slice(last.search(/(?<=[_.])[^_.]|$/));
	const forms = [name.slice(partsOf(name).at(-2) || 0), name.slice(partsOf(name).at(-1) || 0),
		last, own, rest];

	for (const form of forms)
		if (tells(form) && fitText(form, room) === form)
			return form;
	for (const form of [last, rest])
		for (const end of wordEnds(form).reverse()) {
			const text = form.slice(0, end);

			if (tells(text) && fitText(text, room - NARROW) === text)
				return text + '…';
		}
	return '';
}

/* Steps of 1, 2 or 5 for about `n` ticks on an axis. */
function niceStep(span, n) {
	const raw = span / Math.max(n, 1);
	const unit = 10 ** Math.floor(Math.log10(raw));
	const times = raw / unit;

	return unit * (times > 5 ? 10 : times > 2 ? 5 : times > 1 ? 2 : 1);
}

const TIME_UNITS = { __proto__: null, ns: 1, nanoseconds: 1, us: 1e3, 'µs': 1e3,
	microseconds: 1e3, ms: 1e6, milliseconds: 1e6, s: 1e9, sec: 1e9,
	seconds: 1e9 };

/* As number.c writes it: `1.25 ms`, `3.4 MiB`, `1,234 samples`. */
function formatAmount(v, m) {
	const isBytes = m.countname === 'bytes';
	const size = isBytes ? 1 : TIME_UNITS[m.countname];
	const names = isBytes ? ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] :
		['ns', 'µs', 'ms', 's'];
	const step = isBytes ? 1024 : 1000;
	let x = Math.abs(Number(v)) / 10 ** m.decimals * size, i = 0;

	if (!size)
		return formatCount(v, m.decimals) + ' ' + (Number(v) === 10 **
			m.decimals ? m.countname.replace(/(.)s$/, '$1') : m.countname);
	for (; i < names.length - 1 && x >= step; i++)
		x /= step;
	return (v < 0 ? '−' : '') + (x < 1000 ? +x.toPrecision(4) :
		Math.round(x).toLocaleString('en')) + ' ' + names[i];
}

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
	/* slashes after the template's own could name another host */
	return template.replace(/(\/?)\{(file|line|name)\}/g, (all, slash, k) =>
		slash + (slash ? values[k].replace(/^\/+/, '') : values[k]));
}
