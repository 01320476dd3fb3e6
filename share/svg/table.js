/* SPDX-License-Identifier: ISC */
/* The table of functions below the picture. */
const ROWS_MAX = 200;

const COLUMNS = [['self', 'Self'], ['total', 'Total'], ['share', 'Share'],
	['name', null]];

function headCell(app, key, label) {
	const by = key === 'share' ? 'total' : key;
	const sorted = app.s.table === by;

	return html('th', { scope: 'col',
		'aria-sort': sorted ? by === 'name' ? 'ascending' : 'descending' :
			'none' }, [button(label, 'Sort by ' + label,
		() => app.set({ table: by }))]);
}

function tableRow(app, row) {
	const { m } = app.v, name = m.names[row.id];
	const unit = m.counts === 2 ? 1 + app.v.t.ratio : 1;

	return html('tr', {}, [
		html('td', {}, [formatCount(Math.round(row.self / unit),
			m.decimals)]),
		html('td', {}, [formatCount(Math.round(row.total / unit),
			m.decimals)]),
		html('td', {}, [formatPercent(row.total, app.v.hi - app.v.lo)]),
		html('td', {}, [button(name, 'Show only ' + name, () =>
			app.setView({ focus: name }), { class: 'link' })])]);
}

function makeTable(app) {
	const { v, s } = app;
	const rows = functionTable(v.t, v.m.names, v.lo, v.hi, s.table, v.flags);
	const head = COLUMNS.map(([key, label]) =>
		headCell(app, key, label || v.m.nametype));
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
