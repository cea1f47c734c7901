import { basename } from 'node:path';
import type { CreateCollection, ReadRange, SearchDocuments } from '../../documents/contract/document-requests.ts';
import { MIN_SHOWN_CONFIDENCE } from '../../model/answer/low-confidence.ts';
import { trimEndChars, trimStartChars } from '../../model/text/trim-chars.ts';
import { type CommandOptions, wrongOption } from '../context/context.ts';
import { toLimit, toNumber } from '../context/filter-options.ts';

/** A name for a collection from the name of its folder. */
export function nameFor(folder: string, given: unknown): string {
  if (given !== undefined) return String(given);
  const joined = basename(folder).replaceAll(/[^\p{L}\p{N}._-]+/gu, '-');
  const words = trimEndChars(trimStartChars(joined, '._-'), '-');
  return words === '' ? 'documents' : words.slice(0, 64);
}

type Chunking = NonNullable<CreateCollection['chunking']>;

function toCount(flag: string, given: unknown): number {
  const count = toNumber(given);
  if (!Number.isSafeInteger(count) || count < 0) throw wrongOption(flag, given, 'a whole number from 0');
  return count;
}

/** Undefined if no option says anything about chunks. */
export function chunkingOf({ strategy, chunkSize, overlap }: CommandOptions): Chunking | undefined {
  const chunking = {
    ...(strategy === undefined ? {} : { strategy: strategy as NonNullable<Chunking['strategy']> }),
    ...(chunkSize === undefined ? {} : { max_chars: toCount('chunk-size', chunkSize) }),
    ...(overlap === undefined ? {} : { overlap_chars: toCount('overlap', overlap) }),
  };
  return Object.keys(chunking).length === 0 ? undefined : chunking;
}

/** `40:60`, `40:`, `:60` and `40`, the line or page alone. */
function toRange(flag: 'lines' | 'page', given: unknown): readonly [number | undefined, number | undefined] {
  const [, from, colon, to] = /^(\d*)(?:([:-])(\d*))?$/.exec(String(given)) ?? [];
  if (from === undefined || (from === '' && (to ?? '') === ''))
    throw wrongOption(flag, given, 'a number or a range such as 40:60');
  const first = from === '' ? undefined : Number(from);
  if (colon === undefined) return [first, first];
  return [first, to === '' ? undefined : Number(to)];
}

export function rangeOf({ lines, page }: CommandOptions): ReadRange {
  if (page !== undefined) {
    const [from, to] = toRange('page', page);
    return { page: from ?? 1, ...(to === undefined ? {} : { to_page: to }) };
  }
  if (lines === undefined) return {};
  const [from, to] = toRange('lines', lines);
  return { ...(from === undefined ? {} : { from_line: from }), ...(to === undefined ? {} : { to_line: to }) };
}

/** `--search keyword:D40` */
function toSearches(given: unknown): NonNullable<SearchDocuments['searches']> | undefined {
  const types = ['keyword', 'meaning', 'hypothetical'] as const;
  return (given as readonly string[] | undefined)?.map((text) => {
    const cut = text.indexOf(':');
    const type = types.find((known) => known === text.slice(0, Math.max(0, cut)).trim());
    if (type === undefined)
      throw wrongOption('search', text, `TYPE:TEXT, where the type is one of ${types.join(', ')}`);
    return { type, query: text.slice(cut + 1).trim() };
  });
}

export function searchOf(words: readonly string[], options: CommandOptions): SearchDocuments {
  const { collection, limit, preset, expand, intent, explain, minConfidence = MIN_SHOWN_CONFIDENCE } = options;
  const searches = toSearches(options.search);
  return {
    query: words.join(' '),
    limit: toLimit(limit, 10),
    min_confidence: toNumber(minConfidence) as number,
    explain: explain === true,
    ...(collection === undefined ? {} : { collections: [...(collection as readonly string[])] }),
    ...(preset === undefined ? {} : { preset: String(preset) }),
    ...(searches === undefined ? {} : { searches }),
    ...(intent === undefined ? {} : { intent: String(intent) }),
    ...(expand === true ? { expand: { section: true } } : {}),
  };
}
