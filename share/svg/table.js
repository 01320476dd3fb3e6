/* SPDX-License-Identifier: ISC */
/* The table of functions below the picture. */
const ROWS_MAX = 200;

/* Keys to sort by and headings; the last one is what frames are. */
const COLUMNS = [['self', 'Self'], ['total', 'Total'], ['total', 'Share']];
const CHANGES = [['total', 'Before'], ['total', 'After'],
	['change', 'Change']];

function headCell(app, key, label) {
	const sorted = app.s.table === key;

	return html('th', { scope: 'col',
		'aria-sort': sorted ? key === 'name' ? 'ascending' : 'descending' :
			'none' }, [button(label, 'Sort by ' + label,
		() => app.set({ table: key }))]);
}

function tableCells(app, row) {
	const { m, hi, lo } = app.v;
	const count = (x) => formatCount(Math.round(x), m.decimals);

	if (m.counts === 2)
		return [count(row.counts[0]), count(row.counts[1]),
			(row.counts[1] > row.counts[0] ? '+' : '') +
				count(row.counts[1] - row.counts[0])];
	return [count(row.self), count(row.total),
		formatPercent(row.total, hi - lo)];
}

function tableRow(app, row) {
	const name = app.v.m.names[row.id];

	return html('tr', {}, tableCells(app, row).map((text) =>
		html('td', {}, [text])).concat([html('td', {}, [button(name,
		'Show only ' + name, () => app.setView({ focus: name }),
		{ class: 'link' })])]));
}

function makeTable(app) {
	const { v, s } = app;
	const by = ['self', 'name', 'change'].includes(s.table) ? s.table : 'total';
	const rows = functionTable(v.t, v.m.names, v.lo, v.hi, by, v.flags);
	const head = (v.m.counts === 2 ? CHANGES : COLUMNS)
		.concat([['name', v.m.nametype]])
		.map(([key, label]) => headCell(app, key, label));
	const parts = [html('table', {}, [
		html('caption', {}, [rows.length.toLocaleString('en') +
			' functions' + (v.flags ? ' found' : '')]),
		html('thead', {}, [html('tr', {}, head)]),
		html('tbody', {}, rows.slice(0, ROWS_MAX).map((r) =>
			tableRow(app, r)))])];

	if (rows.length > ROWS_MAX)
		parts.push(html('p', {}, ['… and ' + (rows.length - ROWS_MAX)
			.toLocaleString('en') + ' more: search to narrow them down']));
	return html('div', { class: 'ui table' }, parts);
}
