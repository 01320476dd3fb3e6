/* SPDX-License-Identifier: ISC */
/* Texts around the frames, for the width of the window. */
const LEGEND_ROW = 20, NOTE_SIZE = 12;

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

/* Fits all labels; returns the height of the foot, which begins at y. */
function layoutLabels(root, foot, y, width) {
	for (const label of root.querySelectorAll('.title,.subtitle'))
		fitLabel(label, width - 2 * PAD);
	let at = y + layoutLegend([...foot.querySelectorAll('#legend>g')], y,
		width);
	for (const note of foot.querySelectorAll('#foot>.note')) {
		fitLabel(note, width - 2 * PAD);
		note.setAttribute('y', at + NOTE_SIZE);
		at += NOTE_SIZE + 6;
	}
	return at - y + 4;
}
