import type { SearchResponse } from '../../model/answer/result.ts';
import { ellipsed, fitsTokens } from '../../model/text/token-count.ts';
import { NO_MATCH, oneLine } from './fields.ts';
import { type Found, type FoundItem, foundItems, type NamedItem, toFoundItem } from './found-items.ts';

export const DETAILS = ['names', 'brief', 'schema'] as const;
export type Detail = (typeof DETAILS)[number];

/** A found item with its whole description. */
export type ItemText = Pick<Found, 'item' | 'description'>;

export interface FitOptions {
  readonly detail: Detail;
  /** The limit of the text. Default: no limit, only long descriptions are cut. */
  readonly maxTokens?: number;
  /** The line before the items, such as `NO_MATCH`. Empty for none. */
  readonly opening: string;
  readonly warnings: readonly string[];
}

export interface FittedItems {
  readonly items: readonly FoundItem[];
  readonly text: string;
  /** How many items did not fit. */
  readonly dropped: number;
}

/** The lengths of a description that are tried, longest first: about one sentence, then less. */
const DESCRIPTION_CHARS = [160, 110, 70, 40, 0] as const;

/**
 * Items and their text, within a token limit. Descriptions are cut first, then schemas and notes are dropped, then items
 * from the end, and the text says how many. Text and items have the same content: a client may give a model either.
 */
export function fitItems(found: readonly ItemText[], options: FitOptions): FittedItems {
  const { detail, maxTokens = Number.POSITIVE_INFINITY } = options;
  const lengths = detail === 'names' ? [0] : DESCRIPTION_CHARS;
  const schemas = detail === 'schema' ? [true, false] : [false];
  for (const withSchema of schemas) {
    for (const length of lengths) {
      const fitted = rendered(found, found.length, length, withSchema, options);
      if (fitsTokens(fitted.text, maxTokens)) return fitted;
    }
  }
  // Items are worth more than notes and further tools. The notes are still in the structured answer.
  const bare = { ...options, warnings: [] };
  const lean = found.map(({ item: { more_tools: _more, why: _why, ...item }, description }) => ({ item, description }));
  for (let count = found.length; count >= 0; count--) {
    const fitted = rendered(lean, count, 0, false, bare);
    if (fitsTokens(fitted.text, maxTokens)) return fitted;
  }
  return { items: [], text: leftOut(found.length), dropped: found.length };
}

/** A search answer with a line of text for each result, for the tools of the MCP gateway registry. */
export function briefAnswer(answer: SearchResponse, found = foundItems(answer, true)) {
  const { warnings } = answer;
  const noMatch = found.length === 0;
  const { text } = fitItems(found, { detail: 'brief', opening: noMatch ? NO_MATCH : '', warnings });
  return { found, warnings, noMatch, text };
}

const leftOut = (count: number) => `${count} left out to fit max_tokens.`;

function rendered(
  found: readonly ItemText[],
  count: number,
  length: number,
  withSchema: boolean,
  { opening, warnings }: FitOptions,
): FittedItems {
  const shown = found.slice(0, count).map(({ item, description }) => {
    const { input_schema, ...rest } = item;
    const line = length === 0 ? '' : ellipsed(oneLine(description), length);
    return {
      ...rest,
      ...(line === '' ? {} : { description: line }),
      ...(withSchema && input_schema !== undefined ? { input_schema } : {}),
    };
  });
  const dropped = found.length - count;
  const lines = [
    ...(opening === '' ? [] : [opening]),
    ...shown.map((item, at) => `${at + 1}. ${itemText(item)}`),
    ...(dropped === 0 ? [] : [leftOut(dropped)]),
    ...warnings.map((warning) => `Note: ${warning}`),
  ];
  return { items: shown.map(toFoundItem), text: lines.join('\n'), dropped };
}

const letters = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** `/page-reader#read_page (tool, confidence 0.93; also save_page): Read one page`. The name is shown only if the path does not end with it. */
function itemText(item: NamedItem): string {
  const { name, kind, path, description, confidence, status, more_tools, input_schema, why, call, definition } = item;
  // The name of a tool may contain anything, such as line breaks, and is part of its path.
  const where = oneLine(path);
  const title = letters(path).endsWith(letters(name)) ? where : `${oneLine(name)} [${where}]`;
  const also = more_tools === undefined ? '' : `; also ${more_tools.map(oneLine).join(', ')}`;
  const rating = confidence === undefined ? '' : `, confidence ${confidence.toFixed(2)}`;
  const state = `${status === undefined ? '' : `, ${status}`}${item.origin === undefined ? '' : `, at ${item.origin}`}`;
  const reason = why === undefined ? '' : `\n   ${why}`;
  const schema = input_schema === undefined ? '' : `\n   ${JSON.stringify(input_schema)}`;
  const text = description === undefined ? '' : `: ${description}`;
  const how =
    call === undefined
      ? ''
      : `\n   call${call === 'read' ? '_read' : ''}_tool: ${item.arguments} (definition ${definition})`;
  const not = item.not_callable === undefined ? '' : '; not callable';
  return `${title} (${kind}${state}${rating}${also}${not})${text}${how}${reason}${schema}`;
}
