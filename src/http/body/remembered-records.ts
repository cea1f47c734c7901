import { createHash } from 'node:crypto';
import { isJsonObject } from '../../model/json/json-object.ts';

/** Characters of JSON in one generation. Each kind of record has two of them. */
const MAX_CHARS = 4_000_000;

interface Written {
  readonly json: string;
  /** Made when it is first asked for. */
  hash: string | null;
}

/** The JSON of remembered records. They are frozen, and what they are made from is never changed in place. */
const written = new WeakMap<object, Written>();

/**
 * Makes records from sources that are never changed in place, and remembers them with their JSON: most lists and reads show
 * what they showed before. The same source gives the same record. Those that were not used for longest are forgotten.
 */
export function rememberRecords<S extends object, R extends object>(
  make: (source: S) => R,
  maxChars = MAX_CHARS,
): (source: S) => R {
  let young = new WeakMap<S, R>();
  let old = new WeakMap<S, R>();
  let chars = 0;
  return (source) => {
    const known = young.get(source);
    if (known !== undefined) return known;
    // A copy: the JSON lives as long as the record, and a source may be cached elsewhere for long.
    const record = old.get(source) ?? Object.freeze({ ...make(source) });
    const { json } = writtenOf(record) ?? { json: JSON.stringify(record) };
    if (json.length > maxChars) return record;
    chars += json.length;
    if (chars > maxChars) {
      old = young;
      young = new WeakMap();
      chars = json.length;
    }
    young.set(source, record);
    if (!written.has(record)) written.set(record, { json, hash: null });
    return record;
  };
}

const writtenOf = (value: unknown): Written | undefined =>
  typeof value === 'object' && value !== null ? written.get(value) : undefined;

/** The same as `JSON.stringify` for the body of an answer, without writing remembered records again. */
export function toJson(body: unknown): string {
  if (!isJsonObject(body)) return JSON.stringify(body);
  const known = written.get(body);
  if (known !== undefined) return known.json;
  const lists = Object.values(body).filter((value) => Array.isArray(value) && writtenOf(value[0]) !== undefined);
  if (lists.length === 0) return JSON.stringify(body);
  const fields: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const json = lists.includes(value) ? listJson(value as readonly unknown[]) : JSON.stringify(value);
    if (json !== undefined) fields.push(`${JSON.stringify(name)}:${json}`);
  }
  return `{${fields.join(',')}}`;
}

function listJson(items: readonly unknown[]): string {
  const parts: string[] = [];
  for (const item of items) parts.push(writtenOf(item)?.json ?? JSON.stringify(item) ?? 'null');
  return `[${parts.join(',')}]`;
}

/** A short hash of an answer. `json` is its text. */
export function answerHash(body: unknown, json: string): string {
  const known = writtenOf(body);
  if (known?.hash != null) return known.hash;
  const hash = createHash('sha256').update(json).digest('base64url').slice(0, 22);
  if (known !== undefined) known.hash = hash;
  return hash;
}
