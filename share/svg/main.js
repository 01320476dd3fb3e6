/* SPDX-License-Identifier: ISC */
/* Puts the parts together: a state, and a picture of it. */

/*
 * s is the state, as in the address (address.js). v is the view that follows
 * from it:
 *	m, t		the model (model.js), and the tree that is shown
 *	full, lo, hi	on the tree's scale: its width, and the window on it
 *	zoomed, current	nodes: the one zoomed to, the keyboard's place or -1
 *	light, lit	what is lit (lit.js): its element, { id, node }
 *	flags, found	of a search: matching names, and nodes in the window
 *	normalized, ratio
 *			of two counts: whether totals are made equal, by what
 *	all, shown, base
 *			what shares are of (details.js), and the chosen one
 *	first		the first node that is a function: 1, or 0 if one is chosen
 *	inverted, byLeaf, reversed
 *			how it is drawn; reversed: not as in the file
 *	deepest		the depth of the highest frame in the window
 *	width, inner, top, rows
 *			in pixels: of the page, of the frames, where they begin;
 *			the depths that are drawn
 */
const ROW_LEAST = 12; /* pixels, where the height asks for it */

class App {
	constructor(root, model) {
		const frames = document.getElementById('frames');

		this.root = root;
		this.model = model; /* without a range of time */
		this.rowHeight = model.frameHeight;
		this.fontSize = model.fontSize;
		this.s = emptyState();
		this.matcher = new Matcher(model.names);
		this.v = { m: model, frames, current: -1, flags: null,
			lit: { id: -1, node: -1 } };
		this.ui = {};
		this.popup = null;
		this.address = new Address();
		this.foot = document.getElementById('foot');
		this.v.strip = makeStrip(this);
		this.head = +frames.dataset.top;
		frames.setAttribute('role', 'tree');
		frames.setAttribute('tabindex', '0');
		frames.setAttribute('aria-label', document.title || 'Flame graph');
		this.bar = htmlBox('ui', makeToolbar(this));
		this.tableBox = htmlBox('table', html('div', { class: 'ui' }));
		this.v.tip = htmlBox('tip', html('div', { class: 'ui tip',
			'aria-hidden': 'true' }));
		/*
		 * The controls come first, for the keyboard; what scrolls below
		 * them is clipped, as what comes later is drawn above.
		 */
		this.clip = svg('rect', { x: 0, width: '100%', height: '100%' });
		this.sheet = svg('g', { 'clip-path': 'url(#shown)' });
		frames.before(this.bar, svg('clipPath', { id: 'shown' },
			[this.clip]), makeHatch(), this.sheet);
		this.v.light = svg('g', { id: 'lit', 'aria-hidden': 'true' });
		this.sheet.append(frames, this.v.light, this.foot, this.tableBox);
		this.edges = makeEdges();
		root.append(...this.edges, this.v.tip, svg('style', {}, [prefixColours()]));
		showTip(this.v, -1);
	}

	/* Changes the state; replace: without a step to go back to. */
	set(change, replace) {
		this.s = { ...this.s, ...change };
		if (this.address.put(stateText(this.s), replace))
			this.render();
	}

	/* Hides a function or a stack, or shows one function alone. */
	edit(edit) {
		this.setView({ edits: [...this.s.edits, edit],
			...chooses(edit) && { zoom: [], from: [] } });
		if (edit.sandwich !== undefined)
			this.reveal(0);
	}

	/* What the other CPUs did, in the captures that have this function on one. */
	meanwhile(name) {
		this.setView({ meanwhile: name, zoom: [], from: [],
			edits: this.s.edits.filter((e) => !chooses(e)) });
	}

	/* As set(), for what changes the tree: the zoom stays if it can. */
	setView(change) {
		this.v.current = -1;
		this.set({ window: null, sel: null, ...change });
	}

	fromAddress() {
		const text = this.address.take();

		if (text === null)
			return;
		this.s = parseState(text);
		this.v.current = -1;
		this.render();
	}

	render() {
		const { v, s } = this, m = v.m = modelAt(this.model, s);
		const before = { ...v };

		v.inverted = s.inverted === null ? m.inverted : s.inverted;
		v.byLeaf = s.reverse === null ? m.reverse : s.reverse;
		v.normalized = s.norm === null ? m.normalized : s.norm;
		v.ratio = ratioOf(m, v.normalized);
		v.ofShown = s.of === 'shown';
		v.colors = s.colors;
		v.sums = sumsOf(m, s);
		v.t = viewTree(m, s);
		v.reversed = v.byLeaf !== m.reverse;
		v.first = v.t.name[0] === m.base.name[0] ? 1 : 0;
		v.full = v.t === m.base || (isTogether(m, s) && v.t.width[0] === m.base.width[0]) ?
			Math.max(m.whole, v.t.width[0]) : v.t.width[0];
		v.lit = { id: -1, node: -1 };
		v.zoomed = v.t.stacks ? 0 : followPath(v.t, idsOf(m, s.zoom));
		if (s.sel && v.current < 0)
			v.current = followPath(v.t, idsOf(m, s.sel));
		this.findWindow();
		findBases(v);
		if (s.theme)
			this.root.dataset.theme = s.theme;
		else
			delete this.root.dataset.theme;
		updateToolbar(this);
		findNames(this);
		this.layout();
		if ((before.t?.whole || before.t) === (v.t.whole || v.t) && !s.window && !v.ofWindow)
			glide(v, before);
		v.ofWindow = s.window;
	}

	findWindow() {
		const { v, s } = this, z = v.zoomed;

		v.lo = z ? v.t.x[z] : 0;
		v.hi = z ? v.t.x[z] + v.t.width[z] : v.full;
		if (s.window) {
			v.lo = s.window[0] * v.full;
			v.hi = s.window[1] * v.full;
		}
		if (!(v.hi > v.lo))
			v.hi = v.lo + 1;
		/* idle is open where it is zoomed to */
		v.t.shut = new Set([...v.t.idle].filter((i) => z < i || z >= v.t.end[i]));
	}

	/* Places everything for the width of the window. */
	layout() {
		const { v, root } = this, m = v.m;
		const axis = v.t.start ? AXIS_HEIGHT : 0;

		v.width = Math.max(320, root.ownerDocument.defaultView.innerWidth -
			(this.scrolls && !matchMedia('(pointer:coarse)').matches ?
				15 : 0));
		v.inner = v.width - 2 * PAD;
		setBox(this.bar, { x: 0, width: v.width, height: 400 });
		updateMap(this);
		this.barHeight = v.printing ? 0 :
			this.bar.firstChild.getBoundingClientRect().height;
		setBox(this.bar, { height: this.barHeight });
		this.stripAt = this.barHeight;
		this.barHeight += layoutStrip(this);
		v.top = this.head + this.barHeight + 6;
		const room = window.innerHeight - v.top - axis - (this.footHeight || 0);
		fitRows(this, room);
		v.deepest = deepestBetween(v.t, v.lo, v.hi, 800);
		this.model.frameHeight = v.printing ? this.rowHeight :
			Math.max(Math.min(this.rowHeight, ROW_LEAST), Math.min(
				this.rowHeight * 1.5, Math.floor(room / rowCount(v.t))));
		this.model.fontSize = Math.min(this.fontSize, this.model.frameHeight - 2);
		v.frames.style.fontSize = this.model.fontSize + 'px';
		const bottom = v.top + rowCount(v.t) * m.frameHeight + axis;
		this.footHeight = 6 + layoutLabels(this, bottom + 6);
		let height = bottom + this.footHeight;
		this.footEnd = height;
		this.tableBox.style.display = this.s.table ? '' : 'none';
		if (this.s.table)
			height += this.layoutTable(height);
		const scrolls = height > window.innerHeight;
		if (!v.printing)
			height = Math.max(height, window.innerHeight); /* for popups */
		root.setAttribute('width', v.width);
		root.setAttribute('height', height);
		root.setAttribute('viewBox', `0 0 ${v.width} ${height}`);
		if (scrolls !== this.scrolls) {
			this.scrolls = scrolls;
			this.layout();
			return;
		}
		this.stick();
		drawFrames(v);
		drawRuler(this, parseRuler(m, this.s.ruler));
		showDetails(v, v.current);
	}

	layoutTable(y) {
		this.tableBox.replaceChildren(makeTable(this));
		setBox(this.tableBox, { x: PAD, y, width: this.v.inner,
			height: 8000 });
		const h = this.tableBox.firstChild.getBoundingClientRect().height;
		setBox(this.tableBox, { height: h });
		return h + 10;
	}

	/* The title and the controls stay in sight. */
	stick() {
		const scrolled = this.v.printing ? 0 : window.scrollY;
		const y = this.head + scrolled;

		for (const label of this.root.querySelectorAll('.title,.subtitle'))
			label.setAttribute('transform', `translate(0 ${scrolled})`);
		showEdges(this);

		setBox(this.bar, { y });
		this.v.strip?.g.setAttribute('transform', 'translate(0 ' +
			px((this.v.printing ? this.head : y) + this.stripAt) + ')');
		setBox(this.clip, { y: this.v.printing ? 0 : y + this.barHeight });
	}

	scrolled() {
		const { v } = this, y = window.scrollY;
		const [first, last] = rowsBetween(v, y, y + window.innerHeight);

		showTip(v, -1);
		this.stick();
		if (first < v.rows[0] || last > v.rows[1])
			drawFrames(v);
	}

	/* On paper there are all rows, and no controls. */
	print(printing) {
		this.v.printing = printing;
		this.layout();
	}

	/* Where the view begins: at what a link chose, or at the root. */
	showStart() {
		const { v } = this, node = v.current > 0 ? v.current : v.zoomed;

		if (node || v.t.stacks)
			this.reveal(Math.max(node, 0));
		else if (!v.inverted)
			window.scrollTo(0, this.footEnd - window.innerHeight *
				(this.s.table ? 0.65 : 1));
	}

	/* Once a frame, however often the window changes. */
	later() {
		cancelAnimationFrame(this.frame);
		this.frame = requestAnimationFrame(() => this.layout());
	}

	path(node) {
		return pathOf(this.v.t, node).map(({ id, nth }) =>
			({ name: this.v.m.names[id], nth }));
	}

	/* The names on it, as the input has them. */
	stack(node) {
		return this.path(node).map(({ name }) => name).filter((name) => name !== IDLE);
	}

	/* Of callers and callees, a zoom leaves the stacks through that frame. */
	zoom(node) {
		const { t } = this.v, path = this.path(node);
		const side = t.depth[node] * (this.v.reversed ? -1 : 1);

		this.v.current = t.stacks ? -1 : node;
		this.set({ zoom: side < 0 ? this.s.zoom : path,
			from: side < 0 ? path : side ? this.s.from : [],
			window: null, sel: node ? path : null });
	}

	reset() {
		this.v.current = -1;
		this.set({ zoom: [], from: [], window: null, sel: null, ruler: null });
	}

	/* One step back; a view that a link opened has only what is around it. */
	back() {
		if (this.address.step > 0)
			history.back();
		else if (this.s.zoom.length)
			this.set({ zoom: this.s.zoom.slice(0, -1), window: null }, true);
		else if (this.s.from.length)
			this.set({ from: this.s.from.slice(0, -1) }, true);
		else if (this.address.text)
			this.reset();
	}

	/* Moves the keyboard's place; what is out of sight is zoomed to. */
	select(node) {
		const { v } = this, t = v.t;
		const out = t.x[node] >= v.hi || t.x[node] + t.width[node] <= v.lo;

		v.current = node;
		if (!t.stacks && (out || (node && t.width[node] / (v.hi - v.lo) * v.inner < 1)))
			this.set({ zoom: this.path(t.parent[node] > 0 ?
				t.parent[node] : node), window: null,
			sel: this.path(node) }, true);
		else
			this.set({ sel: this.path(node) }, true);
		drawFrames(v);
		showDetails(v, node);
		this.reveal(node);
	}

	/* Scrolls so that a frame is between the controls and the edge. */
	reveal(node) {
		const { v } = this, y = rowY(v, v.t.depth[node]);
		const top = window.scrollY + this.head + this.barHeight + 10;
		const bottom = window.scrollY + window.innerHeight - (node || !v.t.stacks ?
			2 * v.m.frameHeight : window.innerHeight / 3); /* for callers */

		if (y < top)
			window.scrollBy(0, y - top);
		else if (y > bottom)
			window.scrollBy(0, y - bottom);
	}

	nextMatch(step) {
		const { found, current } = this.v;
		const at = step > 0 ? Math.max(0, found.findIndex((i) => i > current)) :
			found.findLastIndex((i) => i < current);

		if (found.length)
			this.select(found.at(at));
	}

	/* A stack can be hidden where the paths are those in the file. */
	canCut() {
		return !this.v.reversed && !this.v.t.stacks &&
			focusOf(this.s) === null;
	}

	cut(node) {
		if (this.canCut())
			this.edit({ cut: this.stack(node).map((name) => ({ name, nth: 0 })) });
	}

	undo() {
		if (this.s.edits.length)
			this.setView({ edits: this.s.edits.slice(0, -1) });
	}

	/* Zooms the window by a factor around a point (0 left, 1 right). */
	scale(factor, at) {
		const { v } = this, span = v.hi - v.lo;
		const to = Math.min(v.full, Math.max(v.full * 1e-7, span * factor));
		const mid = v.lo + at * span;

		this.setWindow(mid - at * to, to);
	}

	pan(share) {
		const { v } = this;

		this.setWindow(v.lo + share * (v.hi - v.lo), v.hi - v.lo);
	}

	setWindow(lo, span) {
		const { full } = this.v;
		const from = Math.min(Math.max(0, lo), full - span);

		this.set({ zoom: this.v.t.stacks ? this.s.zoom : [], window: span >= full * (1 - 1e-9) ? null :
			[from / full, (from + span) / full] }, true);
	}

	toggleTable() {
		const { v } = this;

		this.set({ table: this.s.table ? null : sortKey(v.m, '') });
		if (this.s.table && this.footEnd > window.scrollY +
			window.innerHeight * 0.7)
			window.scrollTo(0, this.footEnd - this.head - this.barHeight - 10);
	}
}
