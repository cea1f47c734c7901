import { readSlices, valueRead } from '../../api/wire/json-text.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { beyondLimit, LIMITS } from '../../model/parse/limits.ts';
import { showValue } from '../../model/parse/parse.ts';
import { inTurns } from './in-turns.ts';

/** `application/json` and similar types. A body without a type counts as JSON, except from a web page. */
const JSON_TYPE = /^\s*(?:application|text)\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const isMultipart = (type: string): boolean => /^\s*multipart/i.test(type);
const FORM_TYPE = /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i;

/** Refuses a body of another type than JSON or, with `form`, a form. Call it before the body is read. */
export function checkBodyType(request: Request, form: boolean): void {
  const type = request.headers.get('content-type');
  // A browser sends a CORS preflight for JSON, but not for a body without a type. So a page must set the type.
  const untypedPage = type === null && request.headers.get('content-length') !== '0' && request.headers.has('origin');
  if (!untypedPage && (type === null || JSON_TYPE.test(type) || (form && FORM_TYPE.test(type)))) return;
  const readable = form ? 'JSON or a form' : 'JSON';
  const has = type === null ? 'no content type' : `the content type ${showValue(type)}`;
  throw new DowserError('UNSUPPORTED_MEDIA_TYPE', `The body has ${has}, but must be ${readable}.`, {
    field: 'Content-Type',
    hint: "Send the header 'Content-Type: application/json'.",
  });
}

/** Parses a JSON body, and with `form` also a form, as an object of strings. */
export async function readBody(bytes: Uint8Array, type: string | null, form: boolean): Promise<unknown> {
  if (form && type !== null && FORM_TYPE.test(type)) return readForm(bytes, type);
  return readJsonBody(bytes);
}

/** A long body is read in several turns of the event loop. */
export async function readJsonBody(bytes: Uint8Array): Promise<unknown> {
  const text = decodeUtf8(bytes);
  return valueRead(text, await inTurns(readSlices(text)), 'request body');
}

/** An empty field is absent. A repeated field is a list. */
async function readForm(bytes: Uint8Array, type: string): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = Object.create(null);
  checkFieldCount(bytes, type);
  for (const [name, value] of await formEntries(bytes, type)) {
    const text = typeof value === 'string' ? value : await value.text();
    if (text === '') continue;
    const earlier = fields[name];
    if (earlier === undefined) fields[name] = text;
    else fields[name] = Array.isArray(earlier) ? [...earlier, text] : [earlier, text];
  }
  return { ...fields };
}

/** Counted before the form is parsed, which takes much longer. */
function checkFieldCount(bytes: Uint8Array, type: string): void {
  const separator = isMultipart(type) ? 'content-disposition:' : '&';
  const text = new TextDecoder('latin1').decode(bytes).toLowerCase();
  let count = 0;
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at + separator.length)) {
    if (++count >= LIMITS.form_fields.max) throw beyondLimit('form_fields', 'The form has too many fields');
  }
}

async function formEntries(bytes: Uint8Array, type: string): Promise<Iterable<[string, string | Blob]>> {
  if (!isMultipart(type)) return new URLSearchParams(decodeUtf8(bytes)).entries();
  try {
    const form = await new Response(new Uint8Array(bytes), { headers: { 'Content-Type': type } }).formData();
    return form.entries() as Iterable<[string, string | Blob]>;
  } catch (cause) {
    throw new DowserError('MALFORMED_JSON', 'The request body is not a valid form.', {
      cause,
      hint: 'Use the same boundary in the Content-Type header and in the body.',
    });
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new DowserError('MALFORMED_JSON', 'The request body is not UTF-8 text.', {
      cause,
      hint: 'Send JSON and forms as UTF-8.',
    });
  }
}
