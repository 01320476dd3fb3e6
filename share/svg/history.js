/* SPDX-License-Identifier: ISC */
/*
 * The state's text in the address, and the browser's history of it. text: the
 * one that is shown, or null; step: how many of our own steps can be undone.
 */
class Address {
	constructor() {
		this.text = null;
		this.step = 0;
		this.timer = 0;
	}

	/* False if it is there; replace: without a step to go back to. */
	put(text, replace) {
		if (text === this.text)
			return false;
		if (replace) {
			this.text = text;
			this.timer ||= setTimeout(() => this.flush(), 200);
		} else {
			this.flush();
			this.text = text;
			this.step++;
			this.write('pushState');
		}
		return true;
	}

	/*
	 * Browsers allow only so many changes of the address in a time: those
	 * that typing and the wheel make are put together.
	 */
	flush() {
		if (this.timer)
			this.write('replaceState');
		clearTimeout(this.timer);
		this.timer = 0;
	}

	/*
	 * By the history, so that no `hashchange` of ours comes late and is
	 * taken for a new address.
	 */
	write(how) {
		try {
			history[how]({ step: this.step }, '', '#' + this.text);
		} catch (e) {
			/* too many in a short time: the next one will do */
		}
	}

	/* The text that somebody else has put there, or null. */
	take() {
		const text = location.hash.replace(/^#/, '');

		if (text === this.text)
			return null;
		clearTimeout(this.timer);
		this.timer = 0;
		this.step = history.state ? history.state.step : 0;
		this.text = text;
		return text;
	}
}
