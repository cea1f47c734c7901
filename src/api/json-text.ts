import { DowserError, type ErrorCode, type ErrorDetails } from '../model/errors.ts';
import { jsonFault, MAX_JSON_DEPTH, placeOf } from '../model/json-fault.ts';

interface JsonProblem {
  /** Reads on after a subject: `is not JSON: ...`. */
  readonly problem: string;
  readonly hint: string;
  readonly details: ErrorDetails;
}

/**
 * Reads JSON from outside. A problem says where the text stops being JSON and never repeats the text itself, which may
 * hold a key or a private query.
 */
export function readJson(text: string): { readonly value: unknown } | JsonProblem {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { offset, line, column } = jsonFault(text);
    return {
      problem: `is not JSON: it goes wrong at line ${line}, column ${column} (character ${offset})`,
      hint: text.trim() === '' ? 'It is empty; send a JSON object.' : 'Check quotes, commas and brackets there.',
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

/** Where nesting passes the bound, or -1. Only for text that is JSON. */
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
