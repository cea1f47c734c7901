import { DowserError, type ErrorCode, type ErrorDetails } from '../../model/errors/errors.ts';
import { jsonFault, placeOf } from '../../model/json/json-fault.ts';
import { LIMITS } from '../../model/parse/limits.ts';
import { type JsonExcess, scanJson } from './json-excess.ts';
import { parseSlices } from './json-slices.ts';

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

/** Without the place of a fault, which takes longer to find than the text takes to parse. */
export type SlicedJson = { readonly value: unknown } | { readonly excess: JsonExcess } | { readonly isMalformed: true };

/** Reads JSON and yields after every slice of a long text. */
export function* readSlices(text: string): Generator<void, SlicedJson> {
  const { excess, large, isCut } = yield* scanJson(text);
  if (excess !== null) return { excess };
  if (isCut) return { isMalformed: true };
  try {
    return { value: yield* parseSlices(text, large) };
  } catch (error) {
    if (error instanceof SyntaxError) return { isMalformed: true };
    throw error;
  }
}

/**
 * Reads JSON. A problem says where the text stops being JSON, and never repeats the text: it may contain a key or a private
 * query.
 */
export function readJson(text: string): { readonly value: unknown } | JsonProblem {
  return problemIn(text, atOnce(readSlices(text)));
}

function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const slice = work.next();
    if (slice.done === true) return slice.value;
  }
}

function problemIn(text: string, read: SlicedJson): { readonly value: unknown } | JsonProblem {
  if ('value' in read) return read;
  if ('excess' in read) return tooMuch(text, read.excess);
  const { offset, line, column } = jsonFault(text);
  return {
    problem: `is not valid JSON at line ${line}, column ${column} (character ${offset})`,
    hint: text.trim() === '' ? 'It is empty. Send a JSON object.' : 'Check the quotes, commas and brackets there.',
    details: { line, column },
  };
}

const EXCESS_WORDS = {
  json_depth: (where: string, max: number) => `nests deeper than ${max} levels${where}`,
  json_fields: (where: string, max: number) => `has an object with more than ${max} fields${where}`,
  json_items: (where: string, max: number) => `has a list with more than ${max} items${where}`,
  json_values: (where: string, max: number) => `has more than ${max} values${where}`,
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

/** `subject` names what was read ("request body"). */
export function parseJson(text: string, subject: string, code: ErrorCode = 'MALFORMED_JSON'): unknown {
  return valueRead(text, atOnce(readSlices(text)), subject, code);
}

/** The value that `readSlices` found in a text. Throws what `parseJson` throws. */
export function valueRead(
  text: string,
  read: SlicedJson,
  subject: string,
  code: ErrorCode = 'MALFORMED_JSON',
): unknown {
  const found = problemIn(text, read);
  if ('value' in found) return found.value;
  throw toError(found, subject, code);
}

function toError(read: JsonProblem, subject: string, code: ErrorCode): DowserError {
  const { problem, hint, details, field, isExcess = false } = read;
  const named = isExcess && code === 'MALFORMED_JSON' ? 'INVALID_REQUEST' : code;
  return new DowserError(named, `The ${subject} ${problem}.`, { hint, details, field });
}
