import { expect, it } from 'vitest';
import type { DocumentText } from '../../documents/contract/document-answers.ts';
import { textLines } from './document-lines.ts';
import { toTerminal } from './terminal.ts';

const terminal = toTerminal({ write: () => true, isTTY: false, columns: 80 }, { NO_COLOR: '1' });
const document = {
  collections: ['handbook'],
  path: 'a.pdf',
  text: 'x',
  lines: 9,
  pages: 3,
  truncated: false,
  notes: [],
};

it.each([
  [{ from_line: 3, to_line: 3, page: 2, to_page: 2 }, 'handbook/a.pdf, line 3 of 9, page 2 of 3'],
  [{ from_line: 3, to_line: 5, page: 1, to_page: 2 }, 'handbook/a.pdf, lines 3-5 of 9, pages 1-2 of 3'],
  [{ from_line: 1, to_line: 1, page: null, to_page: null }, 'handbook/a.pdf, line 1 of 9'],
])('names the place %j of a text', (place, words) => {
  expect(textLines({ ...document, ...place } as unknown as DocumentText, terminal)[0]).toBe(words);
});
