import { BSON, EJSON } from 'bson';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { toPlain } from './plain-document.ts';

/** The limit of the servers is 16 MB for a document; a dump may add a little. */
const MAX_DOCUMENT_BYTES = 17 * 1024 * 1024;
const MIN_DOCUMENT_BYTES = 5;

const broken = (what: string, at: number, why: string, cause?: unknown): DowserError =>
  new DowserError('INVALID_FILE', `${what}: document ${at} ${why}.`, {
    hint: 'Export the collection again.',
    cause,
  });

/** The documents of a `.bson` file of `mongodump`: one after the other, each with its length first. */
export async function* readBson(chunks: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<JsonObject> {
  let rest = Buffer.alloc(0);
  let at = 1;
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    while (rest.length >= 4) {
      const size = rest.readInt32LE(0);
      if (size < MIN_DOCUMENT_BYTES || size > MAX_DOCUMENT_BYTES) throw broken(what, at, 'is not BSON');
      if (rest.length < size) break;
      yield documentOf(() => BSON.deserialize(rest.subarray(0, size), { useBigInt64: false }), what, at++);
      rest = rest.subarray(size);
    }
  }
  if (rest.length > 0) throw broken(what, at, 'is cut off');
}

/** The documents of a file of `mongoexport`: lines, indented objects or one array, in extended JSON. */
export async function* readExtendedJson(chunks: AsyncIterable<string>, what: string): AsyncGenerator<JsonObject> {
  let at = 1;
  for await (const text of objectsIn(chunks, what)) {
    yield documentOf(() => EJSON.parse(text, { relaxed: true }), what, at++);
  }
}

function documentOf(parse: () => unknown, what: string, at: number): JsonObject {
  try {
    const plain = toPlain(parse());
    if (isJsonObject(plain)) return plain;
  } catch (thrown) {
    throw broken(what, at, `cannot be read (${(thrown as Error).message})`, thrown);
  }
  throw broken(what, at, 'is not an object');
}

/** The text of each outermost `{...}`. Between them only white space, commas and the brackets of an array may occur. */
async function* objectsIn(chunks: AsyncIterable<string>, what: string): AsyncGenerator<string> {
  let parts: string[] = [];
  let size = 0;
  let depth = 0;
  let inText = false;
  let escaped = false;
  let found = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const char = chunk[at]!;
      if (inText) {
        if (escaped) escaped = false;
        else if (char === '\\') escaped = true;
        else if (char === '"') inText = false;
      } else if (depth === 0) {
        if (char === '{') [depth, from] = [1, at];
        else if (!/[\s,[\]\uFEFF]/.test(char)) throw broken(what, found + 1, 'is not JSON');
      } else if (char === '"') inText = true;
      else if (char === '{') depth++;
      else if (char === '}' && --depth === 0) {
        found++;
        yield [...parts, chunk.slice(from, at + 1)].join('');
        parts = [];
        size = 0;
      }
    }
    if (depth === 0) continue;
    parts.push(chunk.slice(from));
    size += chunk.length - from;
    // Extended JSON is several times as long as BSON.
    if (size > MAX_DOCUMENT_BYTES * 4) throw broken(what, found + 1, 'is too long');
  }
  if (depth > 0) throw broken(what, found + 1, 'is cut off');
}
