import type { z } from 'zod';
import { DowserError, type ErrorCode } from './errors.ts';

/** Shows a rejected value in an error: short, one line, never more than the reader needs. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = input;
  for (const key of path) {
    if (at === null || typeof at !== 'object') return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
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
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues;
  const first = issues[0];
  if (first === undefined) throw new DowserError(code, `The ${subject} is not valid.`);
  const field = first.path.map(String).join('.');
  const where = field === '' ? `The ${subject}` : `'${field}' of the ${subject}`;
  const more = issues.length > 1 ? ` (${issues.length - 1} more problem${issues.length > 2 ? 's' : ''})` : '';
  throw new DowserError(code, `${where} is ${showValue(valueAt(input, first.path))}: ${first.message}${more}.`, {
    ...(field === '' ? {} : { field }),
  });
}
