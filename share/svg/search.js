/* SPDX-License-Identifier: ISC */
/* Which names match, and how much of what is shown they make up. */
const PATTERN_MAX = 5000, PATTERN_MS = 1000;

/* What tells whether a name matches; throws for a wrong pattern. */
function makeTest(text, isRegex, ignoreCase) {
	const source = isRegex ? text :
		text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

	if (text.length > PATTERN_MAX)
		throw new Error('longer than ' + PATTERN_MAX + ' characters');
	const flags = ignoreCase ? 'i' : '';

	try { /* with characters instead of 16 bits, unless that forbids an escape */
		return new RegExp(source, flags + 'u');
	} catch (e) {
		return new RegExp(source, flags);
	}
}

/* For each name's number whether it matches. */
function matchNames(names, regex) {
	const flags = new Uint8Array(names.length);

	for (let i = 0; i < names.length; i++)
		flags[i] = regex.test(names[i]) ? 1 : 0;
	return flags;
}

/*
 * A regular expression can take longer than anybody waits, even on one name:
 * it runs in a worker, which is ended when its time is over. find() calls
 * done({ flags }) or done({ error }), for plain text at once; the search
 * before it is given up.
 */
class Matcher {
	constructor(names) {
		this.names = names;
	}

	find(text, isRegex, ignoreCase, done) {
		this.stop();
		try {
			const regex = makeTest(text, isRegex, ignoreCase);

			if (isRegex)
				this.ask(regex, done);
			else
				done({ flags: matchNames(this.names, regex) });
		} catch (e) {
			done({ error: 'not a pattern', title: String(e.message) });
		}
	}

	ask(regex, done) {
		const finish = (result) => {
			clearTimeout(this.timer);
			this.busy = false;
			if (result.error)
				this.end();
			done(result);
		};

		if (!this.worker) {
			this.worker = new Worker(URL.createObjectURL(new Blob([
				'let names; ' + matchNames +
				'onmessage = ({ data }) => { if (Array.isArray(data)) ' +
				'names = data; else { postMessage(null); ' +
				'postMessage(matchNames(names, data)); } }'
			], { type: 'text/javascript' })));
			this.worker.postMessage(this.names);
		}
		this.busy = true;
		/* Its time is from when it begins: a busy machine starts it late. */
		this.worker.onmessage = ({ data }) => {
			if (data)
				finish({ flags: data });
			else
				this.timer = setTimeout(() => finish({
					error: 'takes too long' }), PATTERN_MS);
		};
		this.worker.onerror = (e) => finish({ error: 'cannot be searched',
			title: String(e.message) });
		this.worker.postMessage(regex);
	}

	stop() {
		clearTimeout(this.timer);
		if (this.busy)
			this.end();
		this.busy = false;
	}

	end() {
		this.worker.terminate();
		this.worker = null;
	}
}

/*
 * The matching frames between lo and hi in order, and their width, each stack
 * counted once; lost: the width of stacks without a match that end in frames
 * which were left out, and may have one there. Frames without weight are not
 * counted: they are not seen. first: 0 where the root is a function, too.
 */
function matchedShare(t, flags, lo, hi, first) {
	const nodes = [];
	let width = 0, lost = 0, inside = 0; /* of a match: up to that node */

	for (let i = 0; i < t.n;) {
		const x = t.x[i], end = x + t.width[i];

		if (end <= lo || x >= hi || !(end > x)) {
			i = t.end[i];
			continue;
		}
		if (i >= first && flags[t.name[i]]) {
			nodes.push(i);
			if (i >= inside) {
				width += (Math.min(end, hi) - Math.max(x, lo)) *
					weightPerWidth(t, i);
				inside = t.end[i];
			}
		}
		if (i >= inside && x >= lo && end <= hi)
			lost += worth(t, t.rest, i);
		i++;
	}
	return { width, lost, nodes };
}

/*
 * Of callers and callees the share is that of the stacks: both sides of one
 * may match.
 */
function matchedIn(v) {
	const { t, flags } = v;
	const seen = matchedShare(t, flags, v.lo, v.hi, v.first);

	return t.stacks ? { ...matchedShare(t.stacks, flags, 0,
		t.stacks.width[0], 1), nodes: seen.nodes } : seen;
}

/* Finds the names anew if what is sought has changed. */
function findNames(app) {
	const { v, s } = app;
	const sought = JSON.stringify([s.q, s.regex, s.ignoreCase]);
	let now = true;

	if (sought !== app.sought) {
		app.sought = sought;
		app.failed = null;
		v.flags = null;
		app.matcher.stop();
		if (s.q)
			app.matcher.find(s.q, s.regex, s.ignoreCase, (result) => {
				app.failed = result.error ? result : null;
				v.flags = result.flags || null;
				if (v.flags) /* ours, and no function */
					v.flags[v.m.idle] = 0;
				if (!now) {
					showFound(app);
					app.layout();
				}
			});
	}
	now = false;
	showFound(app);
}

function showFound(app) {
	const { v, s, ui, failed } = app;

	v.found = [];
	ui.search.classList.toggle('bad', !!failed);
	ui.found.textContent = failed ? failed.error :
		s.q && !v.flags ? 'searching…' : '';
	ui.found.title = failed && failed.title || '';
	if (!v.flags)
		return;
	const { nodes, ...share } = matchedIn(v);
	const least = formatPercent(share.width, v.base.width);
	const most = formatPercent(share.width + share.lost, v.base.width);
	v.found = nodes;
	ui.found.textContent = v.found.length.toLocaleString('en') +
		(v.found.length === 1 ? ' match, ' : ' matches, ') +
		(least === most ? least : least + ' to ' + most) + ' ' +
		v.base.name;
	if (least !== most)
		ui.found.title = 'Some stacks end in frames that are ' +
			'too narrow to be kept, and may match there';
}
