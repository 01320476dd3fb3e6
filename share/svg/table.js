/* SPDX-License-Identifier: ISC */
/* The table of functions below the picture. */
const ROWS_MAX = 200;

/* Keys to sort by and headings; the last one is what frames are. */
const COLUMNS = [['self', 'Self'], ['selfshare', 'Self %'],
	['total', 'Total'], ['share', 'Total %']];
const CHANGES = [['before', 'Before'], ['after', 'After'], ['change', 'Δ'],
	['relative', 'Δ %']];

function columnsOf(m) {
	return (m.counts === 2 ? CHANGES : COLUMNS).concat([['name', m.nametype]]);
}

/* What the table is sorted by: what is asked for, if there is such a column. */
function sortKey(m, asked) {
	const key = asked.replace(/^-/, '');

	if (columnsOf(m).some(([k]) => k === key))
		return asked;
	return m.counts === 2 ? 'change' : 'total';
}

/* Sorts by a column, and the other way round when it is so already. */
function headCell(app, by, key, label) {
	const sorted = by.replace(/^-/, '') === key;
	const down = (key === 'name') === by.startsWith('-');

	return html('th', { scope: 'col', class: /^(self|total)$/.test(key) ?
		'count' : null,
		'aria-sort': sorted ? down ? 'descending' : 'ascending' : 'none' },
	[button(label, 'Sort by ' + label,
		() => app.set({ table: by === key ? '-' + key : key }))]);
}

function tableCells(app, row) {
	const { v } = app, { m } = v;
	const count = (x, k) => v.normalized ?
		formatPercent(x, v.base.totals[k]) : shortAmount(x, m);

	if (m.counts === 2)
		return [count(row.before, 0), count(row.after, 1),
			sizeText(v, row.change),
			relativeText(row.before, row.after, row.relative)];
	return [count(row.self), shareCell(row.self, v), count(row.total),
		shareCell(row.total, v)];
}

/* A bar as wide as the share lies under its number. */
function shareCell(part, v) {
	const text = formatPercent(part, v.base.width);
	const cell = html('td', { class: 'share' }, [text]);

	cell.style.setProperty('--part', text);
	return cell;
}

function tableRow(app, row) {
	const { v } = app, { m } = v, name = m.names[row.id];
	const text = shorten(name, NAME_SHOWN), colour = m.counts === 2 ?
		changeColour(v, row.before, row.after) : nameClass(m, row.id, v.colors);

	return html('tr', { 'data-id': row.id }, [
		...tableCells(app, row).map((cell) => cell instanceof Element ?
			cell : html('td', { class: m.counts === 1 ?
				'count' : null }, [cell])),
		html('td', {}, [
			html('span', { class: 'dot ' + colour }),
			button('', 'Callers and callees of ' + text, () =>
				app.edit({ sandwich: name }), { class: 'both' }),
			button(text, 'Show only ' + text, () =>
				app.edit({ focus: name }), { class: 'link' })])]);
}

/* How much is in frames that are not in the file. */
function lostText(v) {
	let lost = 0;

	if (v.sums)
		return '; frames that were too narrow to be kept are counted';
	for (let i = 0; i < v.t.n; i++)
		lost += worth(v.t, v.t.rest, i);
	return lost ? '; frames that were too narrow to be kept hold ' +
		formatPercent(lost, v.all.width) + ' of all, which is missing here' :
		'';
}

function makeTable(app) {
	const { v, s } = app, by = sortKey(v.m, s.table);
	const rows = functionTable(v.t.stacks || v.t, v.m.names, v.t.stacks ?
		{ ...v, by, lo: 0, hi: v.t.stacks.width[0], byLeaf: v.m.reverse,
			first: 1 } : { ...v, by });
	const head = columnsOf(v.m).map(([key, label]) =>
		headCell(app, by, key, label));
	const parts = [html('table', {}, [
		html('caption', {}, [formatAmount(rows.length,
			{ countname: 'functions', decimals: 0 }) + (v.flags ? ' found' :
			'') + '; shares ' + v.base.name + lostText(v)]),
		html('thead', {}, [html('tr', {}, head)]),
		html('tbody', {}, rows.slice(0, ROWS_MAX).map((r) =>
			tableRow(app, r)))])];

	if (rows.length > ROWS_MAX)
		parts.push(html('p', {}, ['… and ' + (rows.length - ROWS_MAX)
			.toLocaleString('en') + ' more: search to narrow them down']));
	return html('div', { class: 'ui table' }, parts);
}
