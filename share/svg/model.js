/* SPDX-License-Identifier: ISC */
/*
 * The data that the program wrote into the document, and from it the tree that a
 * state of the view asks for, kept until another one is asked for.
 */
const LOST = '(narrower frames)', MUCH = 2e6, ROOTS_MAX = 256;

function loadModel(doc) {
	const text = (name) => [...doc.getElementsByTagNameNS('urn:kst', name)]
		.map((e) => e.textContent).join('');
	const o = doc.getElementsByTagNameNS('urn:kst', 'options')[0];
	const attr = (name) => o.getAttribute(name);
	const counts = +attr('counts'), isChart = attr('chart') === '1';
	const names = decodeNames(text('names'));
	const base = decodeTree(text('nodes'), counts, isChart,
		attr('places') === '1', attr('exact') === '1');

	joinNames(names, base);
	base.tracks = attr('tracks') === '1';
	finishTree(base, counts === 2 ? [+attr('ratio'), 1] : [1]);
	const model = { names, base, isChart, counts, lost: names.length,
		captures: +(attr('captures') || Infinity),
		exactUnit: attr('exact-unit') === '1',
		classes: [...decodeNumbers(text('classes'))], whole: base.tracks ? 0 : +attr('whole'),
		normalized: counts === 2 && attr('normalize') === '1',
		decimals: +attr('decimals'), countname: attr('countname'),
		annotated: attr('annotated') === '1', nametype: attr('nametype'), link: attr('link'),
		wideIdle: attr('idle') === 'wide',
		idleClasses: (attr('idle-classes') || '').split('-').filter((x) => x).map(Number),
		inverted: attr('inverted') === '1', reverse: attr('reverse') === '1',
		frameHeight: +attr('frame-height'), fontSize: +attr('font-size'),
		made: new Map() };
	names.push(LOST);
	model.idle = names.indexOf(IDLE);
	if (model.idle < 0)
		model.idle = names.push(IDLE) - 1;
	takeSums(model, decodeNames(text('functions')),
		decodeNumbers(text('sums'), attr('exact') === '1'), attr('piece'));
	if (attr('piece'))
		takeTimes(model, +attr('piece'), attr('failed'));
	return model;
}

/*
 * Names that differ only in bytes that cannot be shown look the same: they
 * have one number.
 */
function joinNames(names, t) {
	const first = new Map();

	names.forEach((name, id) => {
		if (name.includes('\ufffd') && !first.has(name))
			first.set(name, id);
	});
	if (first.size)
		t.name = t.name.map((id) => first.has(names[id]) ?
			first.get(names[id]) : id);
}

/* The number of a name of an address: the first one. */
function idOf(m, name) {
	if (!m.ids)
		m.ids = new Map(m.names.map((s, i) => [s, i]).reverse());
	return m.ids.has(name) ? m.ids.get(name) : -1;
}

/*
 * Where frames were left out: exact sums by function, of which some have no
 * frame. Names that are the same only as they are shown are left as they are.
 */
function takeSums(m, functions, v, hasPieces) {
	m.sums = functions.map((name, i) => {
		let id = idOf(m, name);

		if (id < 0) {
			id = m.names.push(name) - 1;
			m.ids.set(name, id);
			m.classes[id] = Number(v[3 * i]);
		}
		return { id, of: [v[3 * i + 1], v[3 * i + 2]] };
	}).filter(({ id }) => !(hasPieces ? /^\[|^CPU#\d+$|\ufffd/ : /\ufffd/).test(m.names[id]));
}

/* They hold of all stacks alone: null for a part of them. */
function sumsOf(m, s) {
	return m.sums.length && ![...s.edits, ...s.zoom, s.root, s.window, s.cpus,
		s.recursion, s.time, s.meanwhile].some((x) => x) ? m.sums : null;
}

/* A path of names as one of their numbers. */
function idsOf(m, path) {
	return path.map(({ name, nth }) => ({ id: idOf(m, name), nth }));
}

function numbersOf(m, path) {
	return path.map(({ name }) => idOf(m, name));
}

function rankOf(m) {
	if (!m.rank) {
		const by = m.names.map((s, i) => i).sort((a, b) =>
			m.names[a] < m.names[b] ? -1 : m.names[a] > m.names[b]);

		m.rank = new Int32Array(by.length);
		by.forEach((id, i) => {
			m.rank[id] = i;
		});
	}
	return m.rank;
}

/*
 * The functions at the root, if choosing one of them makes sense: in their
 * order, and of very many the widest.
 */
function rootNames(m) {
	const t = m.base, width = new Map();

	for (let i = 1; i < t.n; i = t.end[i])
		width.set(t.name[i], (width.get(t.name[i]) || 0) + t.width[i]);
	const widest = new Set([...width.keys()].sort((a, b) =>
		width.get(b) - width.get(a)).slice(0, ROOTS_MAX));
	const roots = [...width.keys()].filter((id) => widest.has(id));

	return roots.length > 1 ? { roots: roots.map((id) => m.names[id]),
		more: width.size - roots.length } : null;
}

/* Whether the functions at the root are CPUs, which can be put together. */
function hasCpus(m) {
	/* a range of time, or what others did, may have one of them */
	return m.times?.cpus.length > 1 || !m.isChart && !m.reverse && !!rootNames(m)?.roots.every((name) =>
		/^CPU#\d+$/.test(name));
}

/* Whether CPUs are one tower: from the start where the strip tells them apart. */
function isTogether(m, s) {
	return (s.cpus || (m.times ? 'together' : 'apart')) === 'together' && hasCpus(m);
}

/* What counts are multiplied with, for widths by both, before or after. */
function widthsBy(m, s) {
	const ratio = ratioOf(m, s.norm === null ? m.normalized : s.norm);

	if (m.counts === 1)
		return [1];
	return s.widths === 'before' ? [ratio, 0] :
		s.widths === 'after' ? [0, 1] : [ratio, 1];
}

/*
 * The tree without what is hidden and outside of the chosen root, and with the
 * CPUs together if they are: compare() is the order of what is merged.
 */
function reducedTree(m, s, compare) {
	const by = widthsBy(m, s);
	const t = by.every((x, k) => x === m.base.by[k]) ? m.base :
		weighTree(m.base, by);
	const root = s.root === null ? -1 : idOf(m, s.root);
	const hidden = new Set(s.edits.filter((e) => e.hide !== undefined)
		.map((e) => idOf(m, e.hide)));
	const kept = root < 0 && !hidden.size ? t :
		filterTree(t, (i) => hidden.has(t.name[i]) ||
			(root >= 0 && t.parent[i] === 0 && t.name[i] !== root));
	const joined = isTogether(m, s) ? mergeTree(kept, childrenOf(kept, 0),
		kept.name[0], compare()) : kept;
	const cut = new Set(s.edits.flatMap((e) => e.cut?.length ?
		[...nodesOf(joined, numbersOf(m, e.cut), [0])] : []));

	return cut.size ? filterTree(joined, (i) => cut.has(i)) : joined;
}

function viewTree(m, s) {
	const key = JSON.stringify([s.root, s.edits, s.reverse, s.order, s.norm,
		s.widths, s.recursion, s.cpus, s.idle, s.min, sandwichOf(s) !== null && [s.zoom, s.from]]);

	if (!m.made.has(key)) {
		if (m.made.size > 6)
			m.made.delete(m.made.keys().next().value);
		const t = makeView(m, s);
		m.made.set(key, hideNarrow(isIdleNarrow(m, s) ? narrowIdle(m, t) : t,
			leastOf(m, s.min)));
	}
	return m.made.get(key);
}

/* `10` or `0.5%` as a width; 0 for nothing, null for what is neither. */
function leastOf(m, text) {
	const [, number, percent] = /^([\d.]+)(%?)$/.exec(text || '0') || [];

	if (!(+number >= 0))
		return null;
	return percent ? m.base.width[0] * number / 100 :
		number * 10 ** m.decimals;
}

/* The same tree, of which only frames from that width on are drawn. */
function hideNarrow(t, least) {
	if (!least)
		return t;
	const out = { ...t, least, minDepth: 0, maxDepth: 0 };

	for (let i = 0; i < t.n; i++)
		if (t.width[i] >= least) {
			out.minDepth = Math.min(out.minDepth, t.depth[i]);
			out.maxDepth = Math.max(out.maxDepth, t.depth[i]);
		}
	return out;
}

/*
 * What was recorded in an order is brought into it first: what is made from
 * it then goes through it in that order.
 */
function makeView(m, s) {
	const recorded = s.order === 'recorded' ? orderOf('recorded') : null;
	const compare = s.order && !recorded ? orderOf(s.order, rankOf(m)) : null;
	const byName = () => compare || (recorded ? null :
		orderOf('name', rankOf(m)));
	const focus = idOf(m, focusOf(s)), middle = idOf(m, sandwichOf(s));
	const fold = s.recursion === 'merged' && !m.isChart;
	const reversed = s.reverse !== null && s.reverse !== m.reverse;
	let t = reducedTree(m, s, () => recorded || byName());

	if (recorded || fold)
		t = mergeTree(t, [0], t.name[0], recorded || byName(), fold);
	if (middle >= 0 && t.name.includes(middle)) {
		const both = sandwichTree(t, middle, { up: numbersOf(m, s.from),
			down: numbersOf(m, s.zoom), byLeaf: m.reverse,
			least: leastWidth(t), compare: byName() });

		return reversed ? turnSides(both) : both;
	}
	if (focus >= 0 && t.name.includes(focus))
		t = mergeTree(t, placesOf(t, focus), focus, null);
	if (reversed)
		return reverseTree(t, m.lost, leastWidth(t), byName());
	return compare ? mergeTree(t, [0], t.name[0], compare) : t;
}

/* What is not followed any further, where all would take too long. */
function leastWidth(t) {
	return t.depth.reduce((sum, d) => sum + d, 0) > MUCH ?
		t.width[0] / 20000 : 0;
}

/*
 * A number is made of digits of five bits, the highest first: characters from 63 on, and from
 * 95 on when more digits follow.
 */
const DIGIT = 63, MORE = 32;

/* All numbers of a text, as weights. */
function decodeNumbers(text, isExact) {
	const digits = [...Array(32).keys()].map((d) => isExact ? BigInt(d) : d);
	const base = isExact ? 32n : 32;
	let n = 0;

	for (let i = 0; i < text.length; i++)
		if (text.charCodeAt(i) < DIGIT + MORE)
			n++;
	const out = newWeights(n, isExact);
	let v = digits[0], at = 0;
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i) - DIGIT;

		v = v * base + digits[c & 31];
		if (c < MORE) {
			out[at++] = v;
			v = digits[0];
		}
	}
	return out;
}

/* Each name ends with a line feed. */
function decodeNames(text) {
	const names = text.split('\n');

	names.pop();
	return names;
}

/*
 * A tree in preorder, as arrays: parent, name, and self and rest (of frames
 * that were left out) for each count; in a chart also where nodes begin, and
 * for unsorted input how many stacks came before them. isExact: weights are
 * BigInt, as a number could not hold them.
 */
function decodeTree(text, counts, isChart, hasPlaces, isExact) {
	const v = decodeNumbers(text, isExact);
	const fields = 2 + 2 * counts + (isChart || hasPlaces ? 1 : 0);
	const n = Math.floor(v.length / fields);
	const t = newTree(n, counts, isExact);
	let last = -1, at = 0, start = 0;

	if (isChart)
		t.start = new Float64Array(n);
	if (hasPlaces)
		t.place = new Int32Array(n);
	for (let i = 0; i < n; i++) {
		let up = v[at++], parent = last;

		for (; i > 0 && up > 0; up--)
			parent = t.parent[parent];
		t.parent[i] = parent;
		t.name[i] = Number(v[at++]);
		for (let k = 0; k < counts; k++) {
			t.self[k][i] = v[at++];
			t.rest[k][i] = v[at++];
		}
		if (isChart)
			t.start[i] = start += Number(v[at++]);
		if (hasPlaces)
			t.place[i] = (i && t.place[parent]) + Number(v[at++]);
		last = i;
	}
	return t;
}

function newTree(n, counts, isExact) {
	const arrays = () => Array.from({ length: counts },
		() => newWeights(n, isExact));

	return { n, counts, isExact, parent: new Int32Array(n),
		name: new Int32Array(n), self: arrays(), rest: arrays() };
}

/* n weights of zero. */
function newWeights(n, isExact) {
	return isExact ? new Array(n).fill(0n) : new Float64Array(n);
}

/* A share of a weight. */
function partOf(weight, share) {
	if (share === 1)
		return weight;
	return typeof weight === 'bigint' ?
		BigInt(Math.round(Number(weight) * share)) : weight * share;
}
