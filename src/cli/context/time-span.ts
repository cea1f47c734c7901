import { wrongOption } from './context.ts';

const UNITS = { m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
const MAX_DAYS = 3650;

/** `90d` -> milliseconds. Undefined for any other text. */
export function parseSpan(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/.exec(text.trim()) ?? [];
  if (count === undefined) return undefined;
  const ms = Number(count) * UNITS[unit as keyof typeof UNITS] * 1000;
  return ms > 0 && ms <= MAX_DAYS * UNITS.d * 1000 ? ms : undefined;
}

/** When something ends that is given as a span, such as `90d`. Null for `never`. */
export function endOf(flag: string, text: string, now: Date): Date | null {
  if (text === 'never') return null;
  const ms = parseSpan(text);
  if (ms === undefined) throw wrongOption(flag, text, `a time such as 12h, 90d or never, at most ${MAX_DAYS} days`);
  return new Date(now.getTime() + ms);
}

/** The moment that is given as a span back from now, such as `7d`, or as a date. */
export function startOf(flag: string, text: string, now: Date): Date {
  const ms = parseSpan(text);
  const at = ms === undefined ? new Date(/^\d{4}-\d\d/.test(text) ? text : Number.NaN) : new Date(now.getTime() - ms);
  if (Number.isNaN(at.getTime())) throw wrongOption(flag, text, 'a time such as 12h, 7d or 2026-01-31');
  return at;
}
