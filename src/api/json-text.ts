import { DowserError, type ErrorCode, type ErrorDetails } from '../model/errors.ts';
import { jsonFault, MAX_JSON_DEPTH, placeOf } from '../model/json-fault.ts';

interface JsonProblem {
  /** Follows a subject: `is not JSON: ...`. */
  readonly problem: string;
  readonly hint: string;
  readonly details: ErrorDetails;
}

/**
 * Reads JSON. A problem says where the text stops being JSON, and never repeats the text: it may contain a key or a private
 * query.
 */
export function readJson(text: string): { readonly value: unknown } | JsonProblem {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { offset, line, column } = jsonFault(text);
    return {
      problem: `is not valid JSON at line ${line}, column ${column} (character ${offset})`,
      hint: text.trim() === '' ? 'It is empty. Send a JSON object.' : 'Check the quotes, commas and brackets there.',
      details: { line, column },
    };
  }
  const deep = tooDeepOffset(text);
  if (deep === -1) return { value };
  const { line, column } = placeOf(text, deep);
  return {
    problem: `nests deeper than ${MAX_JSON_DEPTH} levels at line ${line}, column ${column}`,
    hint: 'Send a flatter document.',
    details: { line, column, max: MAX_JSON_DEPTH },
  };
}

/** `subject` names what was read ("request body"). */
export function parseJson(text: string, subject: string, code: ErrorCode = 'MALFORMED_JSON'): unknown {
  const read = readJson(text);
  if ('value' in read) return read.value;
  const { problem, hint, details } = read;
  throw new DowserError(code, `The ${subject} ${problem}.`, { hint, details });
}

/** Where nesting exceeds the limit, or -1. The text must be valid JSON. */
function tooDeepOffset(text: string): number {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > MAX_JSON_DEPTH) return i;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return -1;
}
