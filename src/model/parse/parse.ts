import type { z } from 'zod';
import { DowserError, type ErrorCode, type ErrorDetails } from '../errors/errors.ts';
import { issueWords } from './issue-words.ts';

/** A value for an error message: JSON on one line, cut to 80 characters. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = written(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function written(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A circular or too deep object, or a bigint.
    return typeof value === 'object' ? Object.prototype.toString.call(value) : String(value);
  }
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = input;
  for (const key of path) {
    if (at === null || typeof at !== 'object') return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}

/** The path of an issue. For an unknown field, the path of the field. */
function placeOf(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  return issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path;
}

/** Several unknown fields are one issue. */
function problemsOf(issue: z.core.$ZodIssue): number {
  return issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
}

/** The limits that an issue breaks. */
function limitsOf(issue: z.core.$ZodIssue): ErrorDetails {
  if (issue.code === 'invalid_value') return { allowed: issue.values.map(String) };
  if (issue.code === 'too_big') return { max: Number(issue.maximum) };
  if (issue.code === 'too_small') return { min: Number(issue.minimum) };
  return {};
}

/** `is 51: must be from 1 to 50 (1 more problem).`, to follow the name of a field. */
export function problemWords({ value, expected, more_problems: more = 0 }: ErrorDetails): string {
  const others = more === 0 ? '' : ` (${more} more problem${more > 1 ? 's' : ''})`;
  return `is ${value ?? 'missing'}: ${expected}${others}.`;
}

/** The issue of an unknown field that was meant as a missing one: `q` explains that `query` is missing. */
function mistyped(
  issues: readonly z.core.$ZodIssue[],
  meant: ReadonlyMap<string, string>,
): z.core.$ZodIssue | undefined {
  const missing = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => path.join('.')));
  return issues.find((issue) => {
    if (issue.code !== 'unrecognized_keys') return false;
    const field = meant.get(issue.keys[0]!);
    return field !== undefined && missing.has([...issue.path, field].join('.'));
  });
}

/**
 * Parses input. The first problem becomes a DowserError with the field and the value. `subject` names the input in the
 * message ("request", "entity").
 */
export function parseWith<S extends z.ZodType>(
  schema: S,
  input: unknown,
  subject: string,
  code: ErrorCode = 'INVALID_REQUEST',
): z.output<S> {
  const meant = new Map<string, string>();
  const parsed = schema.safeParse(input, { error: (issue) => issueWords(issue, meant) });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const first = mistyped(issues, meant) ?? issues[0]!;
  const place = placeOf(first);
  const field = place.map(String).join('.');
  const value = valueAt(input, place);
  const others = issues.reduce((count, issue) => count + problemsOf(issue), 0) - 1;
  const didYouMean = first.code === 'unrecognized_keys' ? meant.get(first.keys[0]!) : undefined;
  const details: ErrorDetails = {
    subject,
    ...(value === undefined ? {} : { value: showValue(value) }),
    expected: first.message,
    ...limitsOf(first),
    ...(didYouMean === undefined ? {} : { did_you_mean: didYouMean }),
    ...(others === 0 ? {} : { more_problems: others }),
  };
  const where = field === '' ? `The ${subject}` : `'${field}' of the ${subject}`;
  throw new DowserError(code, `${where} ${problemWords(details)}`, {
    field: field === '' ? undefined : field,
    details,
  });
}
