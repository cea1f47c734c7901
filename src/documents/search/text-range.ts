import type { z } from 'zod';
import { DowserError } from '../../model/errors/errors.ts';
import type { DocumentEntity } from '../collections/document-parts.ts';
import type { DocumentText } from '../contract/document-answers.ts';
import type { readRangeSchema } from '../contract/document-requests.ts';

type Range = z.output<typeof readRangeSchema>;
type TextRange = Pick<
  DocumentText,
  'text' | 'from_line' | 'to_line' | 'lines' | 'page' | 'to_page' | 'pages' | 'truncated'
>;

/** Where each line begins. A line break at the end of the text ends its last line, and begins no other. */
function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1))
    starts.push(at + 1);
  return starts;
}

/** The number of the line or page with a character, from 1. */
function placeOf(starts: readonly number[], char: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= char) low = middle + 1;
    else high = middle;
  }
  return Math.max(1, low);
}

/** Some lines or pages of a document, or all of it. A range past the end is cut; one that begins there is an error. */
export function textRange({ body, page_starts }: DocumentEntity, range: Range): TextRange {
  const lines = lineStarts(body);
  const { start, end } =
    range.page === undefined && range.to_page === undefined
      ? charsOf(lines, body.length, range.from_line, range.to_line, 'line')
      : pageChars(page_starts, body.length, range);
  const cut = Math.min(end, start + range.max_chars);
  const text = body.slice(start, cut).replace(/\n$/, '');
  const last = Math.max(start, cut - 1);
  return {
    text,
    from_line: placeOf(lines, start),
    to_line: placeOf(lines, last),
    lines: lines.length,
    page: page_starts === undefined ? null : placeOf(page_starts, start),
    to_page: page_starts === undefined ? null : placeOf(page_starts, last),
    pages: page_starts?.length ?? null,
    truncated: cut < end,
  };
}

function pageChars(starts: readonly number[] | undefined, length: number, { page, to_page }: Range) {
  if (starts !== undefined) return charsOf(starts, length, page ?? 1, to_page ?? page, 'page');
  throw new DowserError('INVALID_REQUEST', 'The document has no pages.', {
    field: 'page',
    hint: 'Ask for lines instead.',
  });
}

function charsOf(
  starts: readonly number[],
  length: number,
  from = 1,
  to = starts.length,
  word: 'line' | 'page' = 'line',
): { readonly start: number; readonly end: number } {
  const field = word === 'line' ? 'from_line' : 'page';
  if (from > starts.length) {
    throw new DowserError('INVALID_REQUEST', `There is no ${word} ${from}: the document has ${starts.length}.`, {
      field,
      details: { max: starts.length },
    });
  }
  if (to < from) {
    throw new DowserError('INVALID_REQUEST', `The range ends at ${word} ${to}, before it begins at ${word} ${from}.`, {
      field,
    });
  }
  return { start: starts[from - 1]!, end: starts[to] ?? length };
}
