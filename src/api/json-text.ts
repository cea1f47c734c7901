import { DowserError, type ErrorCode, type ErrorDetails } from '../model/errors.ts';
import { jsonFault, placeOf } from '../model/json-fault.ts';
import { LIMITS } from '../model/limits.ts';
import { type JsonExcess, jsonExcess } from './json-excess.ts';

interface JsonProblem {
  /** Follows a subject: `is not JSON: ...`. */
  readonly problem: string;
  readonly hint: string;
  readonly details: ErrorDetails;
  /** Where a limit is exceeded. */
  readonly field?: string;
  /** It may be JSON, but it exceeds a limit. */
  readonly isExcess?: boolean;
}

/**
 * Reads JSON. A problem says where the text stops being JSON, and never repeats the text: it may contain a key or a private
 * query.
 */
export function readJson(text: string): { readonly value: unknown } | JsonProblem {
  const excess = jsonExcess(text);
  if (excess !== null) return tooMuch(text, excess);
  try {
    return { value: JSON.parse(text) };
  } catch {
    const { offset, line, column } = jsonFault(text);
    return {
      problem: `is not valid JSON at line ${line}, column ${column} (character ${offset})`,
      hint: text.trim() === '' ? 'It is empty. Send a JSON object.' : 'Check the quotes, commas and brackets there.',
      details: { line, column },
    };
  }
}

const EXCESS_WORDS = {
  json_depth: (where: string, max: number) => `nests deeper than ${max} levels${where}`,
  json_fields: (where: string, max: number) => `has an object with more than ${max} fields${where}`,
  json_items: (where: string, max: number) => `has a list with more than ${max} items${where}`,
} as const;

function tooMuch(text: string, { limit, field, offset }: JsonExcess): JsonProblem {
  const { max } = LIMITS[limit];
  const { line, column } = placeOf(text, offset);
  const where = `${field === '' ? '' : ` in '${field}'`} at line ${line}, column ${column} (${limit})`;
  return {
    problem: EXCESS_WORDS[limit](where, max),
    hint: limit === 'json_depth' ? 'Send a flatter document.' : 'Send less, or split it.',
    details: { line, column, max },
    ...(field === '' ? {} : { field }),
    isExcess: true,
  };
}

/** Throws INVALID_REQUEST for a text that exceeds a limit. Whether it is JSON is not checked. */
export function checkJsonSize(text: string, subject: string): void {
  const excess = jsonExcess(text);
  if (excess !== null) throw toError(tooMuch(text, excess), subject, 'MALFORMED_JSON');
}

/** `subject` names what was read ("request body"). */
export function parseJson(text: string, subject: string, code: ErrorCode = 'MALFORMED_JSON'): unknown {
  const read = readJson(text);
  if ('value' in read) return read.value;
  throw toError(read, subject, code);
}

function toError(read: JsonProblem, subject: string, code: ErrorCode): DowserError {
  const { problem, hint, details, field, isExcess = false } = read;
  const named = isExcess && code === 'MALFORMED_JSON' ? 'INVALID_REQUEST' : code;
  return new DowserError(named, `The ${subject} ${problem}.`, { hint, details, field });
}
