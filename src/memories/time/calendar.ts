/** A span of time in UTC, from the first moment to the first one after it. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

export type CalendarUnit = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

const HOUR_MS = 3_600_000;

/** A month may be below 0 or above 11: the year follows. */
const utc = (year: number, month = 0, day = 1): Date => new Date(Date.UTC(year, month, day));

/** The whole unit that is `back` units before that of a moment: 0 is its own. Weeks begin on Monday. */
export function unitBack(now: Date, unit: CalendarUnit, back: number): Span {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const starts: Readonly<Record<CalendarUnit, (at: number) => Date>> = {
    hour: (at) => new Date((Math.floor(now.getTime() / HOUR_MS) + at) * HOUR_MS),
    day: (at) => utc(year, month, day + at),
    week: (at) => utc(year, month, day - ((now.getUTCDay() + 6) % 7) + 7 * at),
    month: (at) => utc(year, month + at),
    quarter: (at) => utc(year, 3 * (Math.floor(month / 3) + at)),
    year: (at) => utc(year + at),
  };
  return { from: starts[unit](-back), to: starts[unit](1 - back) };
}

/** Which year is meant: that one, or else the last time it began; with `isLast`, the last time before the one that is now. */
export interface Which {
  readonly year?: number | undefined;
  readonly isLast?: boolean;
}

function yearOf(now: Date, spanIn: (year: number) => Span, { year, isLast = false }: Which): Span {
  if (year !== undefined) return spanIn(year);
  const thisYear = now.getUTCFullYear();
  const begun = spanIn(thisYear).from <= now ? thisYear : thisYear - 1;
  const span = spanIn(begun);
  return isLast && now < span.to ? spanIn(begun - 1) : span;
}

/** The months from `first` (0 is January), `count` of them. */
export function months(now: Date, first: number, count: number, which: Which = {}): Span {
  return yearOf(now, (year) => ({ from: utc(year, first), to: utc(year, first + count) }), which);
}

/** A day that comes every year. */
export function dayOfYear(now: Date, month: number, day: number, which: Which = {}): Span {
  return yearOf(now, (year) => ({ from: utc(year, month, day), to: utc(year, month, day + 1) }), which);
}

/** The season, `back` seasons before that of a moment. Spring begins in March. */
export function seasonBack(now: Date, back: number): Span {
  const first = 3 * (Math.floor((now.getUTCMonth() + 1) / 3) - back) - 1;
  return { from: utc(now.getUTCFullYear(), first), to: utc(now.getUTCFullYear(), first + 3) };
}

/** Saturday and Sunday of the week that is `back` weeks before that of a moment. */
export function weekendBack(now: Date, back: number): Span {
  const { to } = unitBack(now, 'week', back);
  return { from: new Date(to.getTime() - 48 * HOUR_MS), to };
}

/** The last `count` units up to now, today or this week included. */
export function lastUnits(now: Date, unit: CalendarUnit, count: number): Span {
  return { from: unitBack(now, unit, count).from, to: new Date(now.getTime() + 1) };
}
