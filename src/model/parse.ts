import type { z } from 'zod';
import { DowserError, type ErrorCode, type ErrorDetails } from './errors.ts';
import { issueWords } from './issue-words.ts';

/** Shows a rejected value in an error: short, one line, never more than the reader needs. */
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
    // A circle, something too deep, or a number that JSON does not have.
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

/** The place of an issue. Of a field that does not exist it is that field, not the object that has it. */
function placeOf(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  return issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path;
}

/** Fields that do not exist are one issue, however many they are. */
function problemsOf(issue: z.core.$ZodIssue): number {
  return issue.code === 'unrecognized_keys' ? issue.keys.length : 1;
}

/** What may be said of a problem besides its words. */
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

/**
 * Parses at the edge: the first problem becomes a DowserError that names the field and the value.
 * `subject` says what was being read ("request", "entity"), for the sentence.
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
  const first = issues[0]!;
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
