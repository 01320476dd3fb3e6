/* SPDX-License-Identifier: ISC */
/* Texts around the frames, for the width of the window. */
const LEGEND_ROW = 20, NOTE_SIZE = 12, NOTE_LINE = 16, NOTE_LINES_MAX = 20;

/* The whole text of a label: it may have been cut, with all in a tooltip. */
function wholeText(label) {
	if (label.whole === undefined) {
		const title = label.querySelector('title');

		label.whole = (title || label).textContent;
	}
	return label.whole;
}

function fitLabel(label, width) {
	const whole = wholeText(label);
	const size = parseFloat(getComputedStyle(label).fontSize);
	const text = fitText(whole, width / size);

	label.replaceChildren(...(text === whole ? [] :
		[svg('title', {}, [whole])]), text);
}

/* Texts of lines that fit into `room` em, broken at blanks if there are any. */
function wrapText(text, room, most) {
	const lines = [];

	for (let rest = text, line; rest; rest = rest.slice(line.length).trimStart()) {
		line = fitText(rest, room);
		if (line === rest || line === '' || lines.length === most - 1) {
			lines.push(line);
			break;
		}
		const blank = rest.lastIndexOf(' ', line.length - 1);
		line = rest.slice(0, blank > 0 ? blank : line.length - 1);
		lines.push(line);
	}
	return lines;
}

/* Returns the height of a note whose first line is at y. */
function layoutNote(note, y, width) {
	const lines = wrapText(wholeText(note), width / NOTE_SIZE, NOTE_LINES_MAX);

	note.setAttribute('y', y);
	note.replaceChildren(...lines.map((line, i) => svg('tspan', { x: PAD,
		dy: i ? NOTE_LINE : 0 }, [line])));
	return Math.max(lines.length - 1, 0) * NOTE_LINE + NOTE_SIZE + 6;
}

/* The keys of the legend in rows from y on; returns their height. */
function layoutLegend(keys, y, width) {
	let x = PAD, row = 0;

	for (const key of keys) {
		const text = key.querySelector('text');
		const w = +text.getAttribute('x') + text.getComputedTextLength() +
			18;

		if (x > PAD && x + w > width - PAD) {
			x = PAD;
			row++;
		}
		key.setAttribute('transform',
			`translate(${px(x)} ${px(y + row * LEGEND_ROW)})`);
		x += w;
	}
	return keys.length ? (row + 1) * LEGEND_ROW : 0;
}

/*
 * The keys of the legend: the file's, or where ranges of time are compared, those
 * of changes.
 */
function legendKeys(foot, { colors }, ranges) {
	const own = foot.querySelector('#legend'), compared = ranges.length === 2;
	const isOwn = own && !compared && !colors;
	const key = ([text, c]) => svg('g', {}, [
		...c ? [svg('rect', { class: c, width: 12, height: 12 })] : [],
		svg('text', { class: 'note', x: c ? 16 : 0, y: 10 }, [text])]);
	const keys = compared ? [
		[ranges.map(spokenRange).reverse().join(' compared with ')],
		...CHANGE_KEYS.map((text, k) => [text, 'd' + k])] : [];
	const more = svg('g', { id: 'changes' }, keys.map(key));

	foot.querySelector('#changes')?.remove();
	foot.prepend(more);
	if (own)
		own.style.display = isOwn ? '' : 'none';
	return [...(isOwn ? own.children : []), ...more.children];
}

/* Fits all labels; returns the height of the foot, which begins at y. */
function layoutLabels({ root, foot, v, s, model }, y) {
	const { width } = v;
	const ranges = rangesOf(v.strip?.times, s);

	for (const label of root.querySelectorAll('.title,.subtitle'))
		fitLabel(label, width - 2 * PAD);
	let at = y + layoutLegend(legendKeys(foot, v, ranges), y, width);
	for (const note of foot.querySelectorAll('#foot>.note')) {
		const holds = !(note.matches('.totals') && v.normalized !== v.m.normalized ||
			note.matches('.origin') && v.m !== model);

		note.style.display = holds ? '' : 'none';
		at += holds && layoutNote(note, at + NOTE_SIZE, width - 2 * PAD);
	}
	return at - y + 4;
}
