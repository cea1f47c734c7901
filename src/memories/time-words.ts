import { type CalendarUnit, lastUnits, months, type Span, unitBack } from './calendar.ts';

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

interface Rule {
  readonly words: RegExp;
  readonly span: (match: RegExpExecArray, now: Date) => Span;
}

const UNIT = '(hour|day|week|month|quarter|year)s?';
const NUMBER = '(\\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)';
const NUMBERS: Readonly<Record<string, number>> = Object.fromEntries(
  'one two three four five six seven eight nine ten'.split(' ').map((word, at) => [word, at + 1]),
);
const ORDINALS = ['first', 'second', 'third', 'fourth'];
const SEASONS: Readonly<Record<string, number>> = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 };
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';

const toNumber = (word: string): number => NUMBERS[word] ?? (word === 'twelve' ? 12 : Number.parseInt(word, 10) || 1);
const toUnit = (word: string): CalendarUnit => word as CalendarUnit;
const yearIn = (word: string | undefined): number | undefined => (word === undefined ? undefined : Number(word));
const rule = (words: string, span: Rule['span']): Rule => ({ words: new RegExp(`\\b(?:${words})\\b`, 'i'), span });

/** Memories are of the past: `june` is the last one, `last week` is Monday to Sunday. The first rule that matches counts. */
const RULES: readonly Rule[] = [
  rule('(?:in )?the last 24 hours', (_, now) => lastUnits(now, 'hour', 24)),
  rule(`(?:in |over )?(?:the )?(?:last|past) ${NUMBER} ${UNIT}`, ([, count, unit], now) =>
    lastUnits(now, toUnit(unit!), toNumber(count!)),
  ),
  rule(`${NUMBER} ${UNIT} ago`, ([, count, unit], now) => unitBack(now, toUnit(unit!), toNumber(count!))),
  rule('(?:last|past|previous) (week|month|quarter|year)', ([, unit], now) => unitBack(now, toUnit(unit!), 1)),
  rule('this (week|month|quarter|year)', ([, unit], now) => unitBack(now, toUnit(unit!), 0)),
  rule('the day before yesterday', (_, now) => unitBack(now, 'day', 2)),
  rule('yesterday|last night', (_, now) => unitBack(now, 'day', 1)),
  rule('today|tonight|this (?:morning|afternoon|evening)', (_, now) => unitBack(now, 'day', 0)),
  rule('recent(?:ly)?|lately|(?:these|the past few) days', (_, now) => lastUnits(now, 'day', 7)),
  rule('(?:in )?(?:the )?(first|second|third|fourth|q[1-4]) ?(?:quarter)?(?: of)? (\\d{4})', ([, which, year], now) => {
    const at = /^q/i.test(which!) ? Number(which!.slice(1)) - 1 : ORDINALS.indexOf(which!);
    return months(now, 3 * at, 3, yearIn(year));
  }),
  rule('(?:in )?(?:the )?(first|second) half(?: of (\\d{4}))?', ([, which, year], now) =>
    months(now, 6 * ORDINALS.indexOf(which!), 6, yearIn(year)),
  ),
  rule(
    '(?:in |during )?(?:last |this )?(spring|summer|autumn|fall|winter)(?: (?:of )?(\\d{4}))?',
    ([, season, year], now) => months(now, SEASONS[season!]!, 3, yearIn(year)),
  ),
  rule(`(?:in |during )?(?:last |this )?${MONTH}(?: (?:of )?(\\d{4}))?(?! ?\\d)`, ([, month, year], now) =>
    months(now, MONTHS.indexOf(month!.slice(0, 3)), 1, yearIn(year)),
  ),
  // These two are words of their own.
  rule(
    '(?:in |during |last |this |since )(may|march)(?: (?:of )?(\\d{4}))?|(may|march) (\\d{4})|^(may|march)$',
    (match, now) => {
      const [, a, inYear, b, ofYear, alone] = match;
      return months(now, MONTHS.indexOf((a ?? b ?? alone)!.slice(0, 3)), 1, yearIn(inYear ?? ofYear));
    },
  ),
  rule('(?:in|during|since) (\\d{4})', ([, year], now) => months(now, 0, 12, yearIn(year))),
];

const PAIR = /\b(?:between|from)\s+(.{2,60}?)\s+(?:and|to|until|till)\s+(.{2,40})/i;

interface Found extends Span {
  readonly index: number;
  readonly text: string;
}

const toRange = ({ from, to }: Span): TimeRange => ({ from: from.toISOString(), to: to.toISOString() });

/** What the time words of a text mean at a given moment; null for a text without any. Everything is in UTC. */
export async function timeWordsIn(text: string, now: Date): Promise<TimeWords | null> {
  const found = (await pairIn(text, now)) ?? (await oneIn(text, now));
  if (found === null) return null;
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
  for (const { words, span } of RULES) {
    const match = words.exec(text.toLowerCase());
    // A written date says more than the month in it.
    if (match === null || exact?.isDate === true) continue;
    return { ...span(match, now), index: match.index, text: text.slice(match.index, match.index + match[0].length) };
  }
  return exact;
}

/** Loaded on use: a search seldom has a date. A server loads it when it starts: the first search with one would delay all others. */
export const loadDateParser = () => import('chrono-node/en');

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
