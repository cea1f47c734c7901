import {
  type CalendarUnit,
  dayOfYear,
  lastUnits,
  months,
  type Span,
  seasonBack,
  unitBack,
  weekendBack,
} from './calendar.ts';

export interface TimeRule {
  readonly words: RegExp;
  readonly span: (match: RegExpExecArray, now: Date) => Span;
}

const UNIT = '(hour|day|week|month|quarter|year)s?';
const NUMBER = '(\\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)';
const NUMBERS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  ...Object.fromEntries(
    'one two three four five six seven eight nine ten'.split(' ').map((word, at) => [word, at + 1]),
  ),
  twelve: 12,
};
const ORDINALS = ['first', 'second', 'third', 'fourth'];
const SEASONS: Readonly<Record<string, number>> = { spring: 2, summer: 5, autumn: 8, fall: 8, winter: 11 };
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)';
/** Month, from 0, and day. */
const HOLIDAYS: readonly (readonly [words: string, month: number, day: number])[] = [
  ['christmas eve', 11, 24],
  ['christmas(?: day)?', 11, 25],
  ["new year'?s eve", 11, 31],
  ["new year(?:'?s)?(?: day)?", 0, 1],
  ['halloween', 9, 31],
  ["valentine'?s day", 1, 14],
];

const toNumber = (word: string): number => NUMBERS[word] ?? Number.parseInt(word, 10);
const toUnit = (word: string): CalendarUnit => word as CalendarUnit;
const yearIn = (word: string | undefined): number | undefined => (word === undefined ? undefined : Number(word));
const rule = (words: string, span: TimeRule['span']): TimeRule => ({
  words: new RegExp(`\\b(?:${words})\\b`, 'i'),
  span,
});
/** Whether the words mean the one before: in November, `last november` is not this one. */
const isLast = ([words]: RegExpExecArray): boolean => /\blast\b/.test(words);

const DAY_PART = '(morning|afternoon|evening)';
/** The hours of each part of a day: from, to. */
const DAY_PARTS: Readonly<Record<string, readonly [number, number]>> = {
  morning: [5, 12],
  noon: [12, 13],
  afternoon: [12, 18],
  evening: [18, 22],
  midnight: [0, 1],
};
const HOUR_MS = 3_600_000;

function partOfDay(midnight: Date, part: string): Span {
  const [from, to] = DAY_PARTS[part]!;
  return { from: new Date(midnight.getTime() + from * HOUR_MS), to: new Date(midnight.getTime() + to * HOUR_MS) };
}

/** Memories are of the past: `june` is the last one, `last week` is Monday to Sunday. The first rule that matches counts. */
export const TIME_RULES: readonly TimeRule[] = [
  rule('(?:in )?the last 24 hours', (_, now) => lastUnits(now, 'hour', 24)),
  rule(`(?:in |over )?(?:the )?(?:last|past) ${NUMBER} ${UNIT}`, ([, count, unit], now) =>
    lastUnits(now, toUnit(unit!), toNumber(count!)),
  ),
  rule('(?:in |within |over )?(?:the )?(?:last|past) hour', (_, now) => lastUnits(now, 'hour', 1)),
  rule(`${NUMBER} ${UNIT} ago`, ([, count, unit], now) => unitBack(now, toUnit(unit!), toNumber(count!))),
  rule('(?:last|past|previous) (day|week|month|quarter|year)', ([, unit], now) => unitBack(now, toUnit(unit!), 1)),
  rule('this (day|week|month|quarter|year)', ([, unit], now) => unitBack(now, toUnit(unit!), 0)),
  rule('(last|previous|this) season', ([, which], now) => seasonBack(now, which === 'this' ? 0 : 1)),
  rule('(last|this|on the) weekend', ([, which], now) => weekendBack(now, which === 'this' ? 0 : 1)),
  rule('the day before yesterday', (_, now) => unitBack(now, 'day', 2)),
  rule(`yesterday (?:in the )?${DAY_PART}`, ([, part], now) => partOfDay(unitBack(now, 'day', 1).from, part!)),
  rule(`(?:in the )${DAY_PART}|at (noon|midnight)`, ([, part, moment], now) => {
    const today = partOfDay(unitBack(now, 'day', 0).from, part ?? moment!);
    return today.from <= now ? today : partOfDay(unitBack(now, 'day', 1).from, part ?? moment!);
  }),
  rule('yesterday|last night', (_, now) => unitBack(now, 'day', 1)),
  rule('today|tonight|this (?:morning|afternoon|evening)', (_, now) => unitBack(now, 'day', 0)),
  rule('recent(?:ly)?|lately|(?:these|the past few) days', (_, now) => lastUnits(now, 'day', 7)),
  ...HOLIDAYS.map(([words, month, day]) =>
    rule(`(?:on |at |last |this )?${words}(?: (?:of )?(\\d{4}))?`, (match, now) =>
      dayOfYear(now, month, day, { year: yearIn(match[1]), isLast: isLast(match) }),
    ),
  ),
  rule(
    '(?:in )?(?:the )?(?:(first|second|third|fourth) quarter|q([1-4]))(?: (?:of )?(\\d{4}))?',
    ([, which, number, year], now) => {
      const at = number === undefined ? ORDINALS.indexOf(which!) : Number(number) - 1;
      return months(now, 3 * at, 3, { year: yearIn(year) });
    },
  ),
  rule('(?:in )?(?:the )?(first|second) half(?: of (\\d{4}))?', ([, which, year], now) =>
    months(now, 6 * ORDINALS.indexOf(which!), 6, { year: yearIn(year) }),
  ),
  rule('(?:in |during )?(?:last |this )?(spring|summer|autumn|fall|winter)(?: (?:of )?(\\d{4}))?', (match, now) =>
    months(now, SEASONS[match[1]!]!, 3, { year: yearIn(match[2]), isLast: isLast(match) }),
  ),
  rule(`(?:in |during )?(?:last |this )?${MONTH}(?: (?:of )?(\\d{4}))?(?! ?\\d)`, (match, now) =>
    months(now, MONTHS.indexOf(match[1]!.slice(0, 3)), 1, { year: yearIn(match[2]), isLast: isLast(match) }),
  ),
  // These two are words of their own.
  rule(
    '(?:in |during |last |this |since |after |before |until )(may|march)(?: (?:of )?(\\d{4}))?|(may|march) (\\d{4})|^(may|march)$',
    (match, now) => {
      const [, a, inYear, b, ofYear, alone] = match;
      const month = MONTHS.indexOf((a ?? b ?? alone)!.slice(0, 3));
      return months(now, month, 1, { year: yearIn(inYear ?? ofYear), isLast: isLast(match) });
    },
  ),
  rule('(?:in|during|since|after|before|until) (\\d{4})|^((?:19|20)\\d{2})$', ([, year, alone], now) =>
    months(now, 0, 12, { year: yearIn(year ?? alone) }),
  ),
];
