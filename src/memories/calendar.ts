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

/** The months from `first` (0 is January), `count` of them, of the given year or else of the last time they began. */
export function months(now: Date, first: number, count: number, year?: number): Span {
  const begun = utc(now.getUTCFullYear(), first) <= now ? now.getUTCFullYear() : now.getUTCFullYear() - 1;
  const at = year ?? begun;
  return { from: utc(at, first), to: utc(at, first + count) };
}

/** The last `count` units up to now, today or this week included. */
export function lastUnits(now: Date, unit: CalendarUnit, count: number): Span {
  return { from: unitBack(now, unit, count).from, to: new Date(now.getTime() + 1) };
}
