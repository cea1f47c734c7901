import { setImmediate } from 'node:timers/promises';
import { type Span, unitBack } from './calendar.ts';
import { TIME_RULES } from './time-rules.ts';

/** From the first moment to the first one after it, ISO 8601, UTC. */
export interface TimeRange {
  readonly from: string;
  readonly to: string;
}

export interface TimeWords {
  readonly range: TimeRange;
  /** The text without the time words. */
  readonly rest: string;
}

/** Blanks are counted, so that a run of them costs no more than other text. */
const PAIR = /\b(?:between|from)\s{1,3}(\S.{1,59}?)\s{1,3}(?:and|to|until|till)\s{1,3}(\S.{1,39})/i;

interface Found extends Span {
  readonly index: number;
  readonly text: string;
}

/** A year has four digits in every filter. */
const FIRST_MOMENT = new Date('0000-01-01T00:00:00Z');

const toMoment = (date: Date): string => (date < FIRST_MOMENT ? FIRST_MOMENT : date).toISOString();
const toRange = ({ from, to }: Span): TimeRange => ({ from: toMoment(from), to: toMoment(to) });

/** `since june` is not june alone. */
const DIRECTION = /\b(since|after|before|until|till)\s+(?:the\s+)?$/i;
const DIRECTED = /^(since|after|before|until)\s/i;

function directed(found: Found, text: string, now: Date): Found {
  const ahead = DIRECTION.exec(text.slice(0, found.index));
  const word = (ahead?.[1] ?? DIRECTED.exec(found.text)?.[1])?.toLowerCase();
  if (word === undefined) return found;
  const index = ahead?.index ?? found.index;
  const end = found.index + found.text.length;
  const span =
    word === 'since' || word === 'after'
      ? { from: word === 'since' ? found.from : found.to, to: new Date(now.getTime() + 1) }
      : { from: FIRST_MOMENT, to: found.from };
  return { ...span, index, text: text.slice(index, end) };
}

/** Only so much of a text is searched for time words: the date parser takes 25 ms for that at worst. */
const MAX_CHARS = 1000;

/** What the time words of a text mean at a given moment; null for a text without any. Everything is in UTC. */
export async function timeWordsIn(text: string, now: Date): Promise<TimeWords | null> {
  const searched = text.slice(0, MAX_CHARS);
  const one = (await pairIn(searched, now)) ?? (await oneIn(searched, now));
  if (one === null) return null;
  const found = directed(one, text, now);
  const rest = `${text.slice(0, found.index)} ${text.slice(found.index + found.text.length)}`;
  return { range: toRange(found), rest: rest.replaceAll(/\s+/g, ' ').trim() };
}

async function pairIn(text: string, now: Date): Promise<Found | null> {
  const pair = PAIR.exec(text);
  if (pair === null) return null;
  const [whole, first, second] = pair as unknown as readonly [string, string, string];
  const [a, b] = [await oneIn(first, now), await oneIn(second, now)];
  if (a === null || b === null || a.text !== first || b.index !== 0) return null;
  const end = whole.length - second.length + b.text.length;
  // Both are the last of their kind: from november to february ends in this year, and began in the last one.
  const from =
    a.from <= b.from
      ? a.from
      : new Date(Date.UTC(a.from.getUTCFullYear() - 1, a.from.getUTCMonth(), a.from.getUTCDate()));
  return { from, to: b.to, index: pair.index, text: whole.slice(0, end) };
}

async function oneIn(text: string, now: Date): Promise<Found | null> {
  const exact = await dateIn(text, now);
  for (const { words, span } of TIME_RULES) {
    const match = words.exec(text.toLowerCase());
    // A written date says more than the month in it.
    if (match === null || (exact?.isDate === true && !match[0].includes(exact.text.toLowerCase()))) continue;
    return { ...span(match, now), index: match.index, text: text.slice(match.index, match.index + match[0].length) };
  }
  return exact;
}

/** Loaded on use: a search seldom has a date. */
const loadDateParser = () => import('chrono-node/en');

/** The first kind of string has one byte for each character, the second two. */
const ANY_DATES = ['on 5 may 2020', '昨 on 5 may 2020'] as const;

/**
 * For a server, at its start. V8 compiles the regular expressions of the date parser when they are used for the second time, for
 * each kind of string: more than a tenth of a second, which the first searches with a date would take from all others. Here
 * others have a turn after each kind.
 */
export async function prepareDateParser(now: Date): Promise<void> {
  for (const text of ANY_DATES) {
    await timeWordsIn(text, now);
    await timeWordsIn(text, now);
    await setImmediate();
  }
}

/** Dates in any form that chrono knows. */
async function dateIn(text: string, now: Date): Promise<(Found & { readonly isDate: boolean }) | null> {
  if (!/\d|day\b/i.test(text)) return null;
  const { parse } = await loadDateParser();
  const [result] = parse(text, { instant: now, timezone: 0 }, { forwardDate: false });
  if (result === undefined) return null;
  const { start, end } = result;
  const unit = start.isCertain('hour') ? 'hour' : 'day';
  const span = unitBack(start.date(), unit, 0);
  const isDate = start.isCertain('day') && !/ago|last|past/i.test(result.text);
  const to = end === null || end === undefined ? span.to : unitBack(end.date(), unit, 0).to;
  return { from: span.from, to, index: result.index, text: result.text, isDate };
}
