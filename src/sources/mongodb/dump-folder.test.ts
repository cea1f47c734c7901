import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Binary, BSON, Decimal128, Long, ObjectId, UUID } from 'bson';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { toDowserError } from '../../model/errors/errors.ts';
import type { JsonObject } from '../../model/json/json-object.ts';
import { isDump, openDump } from './dump-folder.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'dowser-dump-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
});

const NEVER = new AbortController().signal;
const SERVERS = 'mcp_servers_default';

async function read(what = dir, collection = SERVERS): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  for await (const document of openDump(what).documents(collection, NEVER)) found.push(document);
  return found;
}
const failure = async () => toDowserError(await read().catch((thrown: unknown) => thrown));
const write = (name: string, content: string | Uint8Array) => writeFileSync(join(dir, name), content);

it('gives the types of BSON as JSON', async () => {
  const id = new ObjectId();
  const uuid = new UUID();
  const typed = {
    _id: id,
    uuid,
    long: Long.fromNumber(5),
    huge: Long.MAX_VALUE,
    money: Decimal128.fromString('1.50'),
    when: new Date(0),
    bytes: new Binary(Buffer.from('x')),
    inside: [{ none: null, text: 'a"}{' }],
  };
  const plain = {
    _id: id.toHexString(),
    uuid: uuid.toString(),
    long: 5,
    huge: String(Long.MAX_VALUE),
    money: '1.50',
    when: '1970-01-01T00:00:00.000Z',
    bytes: null,
    inside: [{ none: null, text: 'a"}{' }],
  };
  write(`${SERVERS}.bson`, Buffer.concat([BSON.serialize(typed), BSON.serialize({ _id: 2 })]));
  expect(await read()).toEqual([plain, { _id: 2 }]);
});

it('reads what mongoexport writes: extended JSON in lines, with line breaks and in one list', async () => {
  const one =
    '{"_id":{"$oid":"65a000000000000000000000"},"n":{"$numberLong":"7"},"at":{"$date":"2026-01-01T00:00:00Z"},"t":"\\"}{\\\\"}';
  const plain = { _id: '65a000000000000000000000', n: 7, at: '2026-01-01T00:00:00.000Z', t: '"}{\\' };
  const texts = [`${one}\n${one}\n`, `\uFEFF[${one},\n${one}]`, `${one.replaceAll(',', ',\n  ')}\n${one}`];
  for (const text of texts) {
    write(`${SERVERS}.json`, text);
    expect(await read()).toEqual([plain, plain]);
  }
});

it.each<[string, string, string | Uint8Array, string]>([
  [
    'a document that is cut off',
    '.bson',
    BSON.serialize({ _id: 'x', text: 'long enough' }).slice(0, 20),
    'document 1 is cut off',
  ],
  ['a file that is no BSON', '.bson', 'no BSON at all', 'document 1 is not BSON'],
  ['JSON that is cut off', '.json', '{"_id": "a"}\n{"_id": "b', 'document 2 is cut off'],
  ['a text that is no JSON', '.json', 'connected to: mongodb', 'document 1 is not JSON'],
  ['an object that is no JSON', '.json', '{"_id": nothing}', 'document 1 cannot be read'],
  ['a broken archive', '.bson.gz', 'no archive', 'Cannot read'],
])('says what is wrong with %s', async (_, ending, content, message) => {
  write(`${SERVERS}${ending}`, content);
  expect(await failure()).toMatchObject({ code: 'INVALID_FILE', message: expect.stringContaining(message) });
});

it('finds the files of a dump some folders down, and knows what is none', async () => {
  expect(await isDump(dir)).toBe(false);
  write('notes.json', '{}');
  expect(await isDump(dir)).toBe(false);
  mkdirSync(join(dir, 'dump', 'mcp_registry'), { recursive: true });
  write(`dump/mcp_registry/${SERVERS}.bson`, BSON.serialize({ _id: '/a' }));
  write(`dump/mcp_registry/${SERVERS}.metadata.json`, '{}');
  expect(await isDump(dir)).toBe(true);
  expect(await read()).toEqual([{ _id: '/a' }]);
  expect(await read(join(dir, 'dump', 'mcp_registry', `${SERVERS}.bson`))).toEqual([{ _id: '/a' }]);
  mkdirSync(join(dir, 'dump', 'other'));
  write(`dump/other/${SERVERS}.json`, '{}');
  expect(await failure()).toMatchObject({ code: 'INVALID_FILE', hint: 'Give the folder of one database.' });
});
