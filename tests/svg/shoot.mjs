// SPDX-License-Identifier: ISC
// A picture as Chromium shows it: shoot.mjs FILE.svg#VIEW OUT.png WIDTH HEIGHT
import { pathToFileURL } from 'node:url';
import { launch, open } from './browser.mjs';

const [from, out, width, height] = process.argv.slice(2);
const [file, view = ''] = from.split('#');
const context = await launch({ width: +width, height: +height },
	{ deviceScaleFactor: 2 });
const page = context.pages()[0];

await open(page, pathToFileURL(file).href + '#' + view);
await page.screenshot({ path: out });
await context.close();
