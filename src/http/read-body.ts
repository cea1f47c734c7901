import { parseJson } from '../api/json-text.ts';
import { DowserError } from '../model/errors.ts';
import { showValue } from '../model/parse.ts';

/** `application/json` and its relatives; a body without a type is taken for JSON. */
const JSON_TYPE = /^\s*(?:application|text)\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/** Reads a JSON body of at most `limit` bytes. Stops reading at the limit, whether or not the length was announced. */
export async function readJsonBody(request: Request, limit: number): Promise<unknown> {
  const type = request.headers.get('content-type');
  if (type !== null && !JSON_TYPE.test(type)) {
    throw new DowserError('INVALID_REQUEST', `The body has the type ${showValue(type)}; only JSON is read.`, {
      field: 'Content-Type',
      hint: "Send the header 'Content-Type: application/json'.",
    });
  }
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) > limit) throw tooLarge(`${announced} bytes`, limit);
  const bytes = announced === null ? await readUpTo(request, limit) : new Uint8Array(await request.arrayBuffer());
  return parseJson(decodeUtf8(bytes), 'request body');
}

async function readUpTo(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      // Not cancelled: that would cut the connection under a client that has not read the answer yet.
      reader.releaseLock();
      throw tooLarge('larger', limit);
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new DowserError('MALFORMED_JSON', 'The request body is not UTF-8 text.', {
      cause,
      hint: 'JSON is sent as UTF-8.',
    });
  }
}

function tooLarge(size: string, limit: number): DowserError {
  return new DowserError('BODY_TOO_LARGE', `The request body is ${size}; the limit is ${limit} bytes.`, {
    hint: "Send it in several requests, or raise the setting 'body_limit_bytes'.",
  });
}
