import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseEntity } from '../../model/entity.ts';
import { fromCollectionLine, openJsonl, readJsonLines } from './jsonl.ts';

const read = (line: object) => parseEntity(fromCollectionLine(line)).entity;

describe('a line of a collection', () => {
  it('gives its id as the path and its doc as a document', () => {
    expect(
      read({ id: '4983', type: 'doc', name: 'On wings', description: 'Lift.', tags: [], tools: [], metadata: {} }),
    ).toMatchObject({
      type: 'document',
      path: '4983',
      name: 'On wings',
      description: 'Lift.',
    });
    expect(read({ id: 7, type: 'doc' }).path).toBe('7');
  });

  it('may be a tool that stands alone, with the schema of its only tool', () => {
    const schema = { type: 'object', properties: { base: { type: 'integer' } } };
    const tool = read({ id: 't1', type: 'tool', name: 'area', tools: [{ name: 'area', inputSchema: schema }] });
    expect(tool).toMatchObject({ type: 'tool', path: 't1', name: 'area', inputSchema: schema });
  });

  it('may be a server with its tools, a null description included', () => {
    const server = read({ id: 'x:y', type: 'mcp_server', name: 'Y', description: null, tools: [{ name: 'go' }] });
    expect(server).toMatchObject({ path: 'x:y', description: '', tools: [{ name: 'go' }] });
  });

  it('may be an agent whose skills are listed as tools', () => {
    const agent = read({
      id: 'a',
      type: 'a2a_agent',
      name: 'A',
      tools: [{ name: 'convert', description: 'Converts.', inputSchema: {} }],
      metadata: { capabilities: { streaming: true }, author: 'x' },
    });
    expect(agent).toMatchObject({
      skills: [{ id: 'convert', name: 'convert' }],
      capabilities: { streaming: true },
      metadata: { author: 'x' },
    });
  });

  it('may be a skill whose text stands in its metadata', () => {
    const skill = read({ id: 's', type: 'skill', name: 's', metadata: { body: '# Do\nIt.', license: 'MIT' } });
    expect(skill).toMatchObject({ body: '# Do\nIt.', metadata: { license: 'MIT' } });
  });

  it('that nobody named is known by its id', () => {
    expect(read({ id: 'x/y', type: 'mcp_server', name: '' }).name).toBe('x/y');
    expect(read({ id: 'x/y', type: 'tool' }).name).toBe('x/y');
  });

  it('is left alone when it is an entity already', () => {
    const line = { type: 'package', path: 'npm/x', name: 'x', id: 'other' };
    expect(fromCollectionLine(line)).toBe(line);
  });
});

describe('a JSON Lines file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dowser-jsonl-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const linesOf = async (text: string) => {
    const file = join(folder, 'in.jsonl');
    await writeFile(file, text);
    const found = [];
    for await (const line of (await openJsonl(file)).lines) found.push(line);
    return found;
  };

  it('is read to the end, bad lines reported with their number', async () => {
    const found = await linesOf(
      '\uFEFF{"id":"a","type":"doc"}\r\n\n{"id":"b"\n[1]\n{"id":"c","type":"robot"}\n{"id":"d","type":"doc"}',
    );
    expect(found.map((line) => [line.line, 'entity' in line ? line.entity.path : line.error.code])).toEqual([
      [1, 'a'],
      [3, 'MALFORMED_JSON'],
      [4, 'INVALID_FILE'],
      [5, 'UNKNOWN_TYPE'],
      [6, 'd'],
    ]);
  });

  it('keeps what was ignored of a line with that line', async () => {
    const found = await linesOf('{"id":"a","type":"doc","color":"red"}\n{"id":"b","type":"doc"}');
    expect(found.map((line) => ('warnings' in line ? line.warnings : line.error))).toEqual([
      ["Unknown field 'color' of document was ignored."],
      [],
    ]);
  });

  it('ends a line at a line feed only', async () => {
    const separators = '\u2028\u2029\u0085';
    const found = await linesOf(`{"id":"a","type":"doc","name":"x${separators}y"}\n{"id":"b","type":"doc"}\n`);
    expect(found).toMatchObject([{ line: 1, entity: { name: `x${separators}y` } }, { line: 2 }]);
  });

  it('is read whole, however its lines lie in what is read at once', async () => {
    const lengths = [70_000, 1, 65_000, 200_000, 3];
    const lines = lengths.map((length, i) => JSON.stringify({ id: i, type: 'doc', body: 'ä'.repeat(length) }));
    const found = await linesOf(lines.join('\r\n'));
    expect(found.map((line) => 'entity' in line && 'body' in line.entity && line.entity.body.length)).toEqual(lengths);
  });

  it('rejects what nests without end, and that line only', async () => {
    const nested = (open: string, close: string) => open.repeat(100_000) + 1 + close.repeat(100_000);
    const deep = `{"type":"skill","path":"x","name":"x","metadata":${nested('{"a":', '}')}}`;
    const found = await linesOf(`${deep}\n${nested('[', ']')}\n{"id":"a","type":"doc"}`);
    expect(found.map((line) => ('entity' in line ? line.entity.path : line.error.code))).toEqual([
      'INVALID_REQUEST',
      'INVALID_FILE',
      'a',
    ]);
  });

  it('rejects a line that trips over something nobody thought of, and reads on', async () => {
    const overflow = vi.spyOn(JSON, 'parse').mockImplementationOnce(() => ({
      get path() {
        throw new RangeError('Maximum call stack size exceeded');
      },
    }));
    const found = await linesOf('{}\n{"id":"a","type":"doc"}');
    overflow.mockRestore();
    expect(found).toMatchObject([
      { error: { code: 'INVALID_FILE', message: expect.stringContaining('Maximum call stack') } },
      { entity: { path: 'a' } },
    ]);
  });

  it('may be empty', async () => {
    expect(await linesOf('')).toEqual([]);
  });

  it('that is not there, or is a folder, is named in the error', async () => {
    await expect(openJsonl(join(folder, 'none.jsonl'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(openJsonl(folder)).rejects.toMatchObject({ code: 'INVALID_FILE' });
  });

  it('that fails while it is read is named in the error', async () => {
    const message = `Cannot read ${folder} (EISDIR).`;
    await expect(readJsonLines(folder).next()).rejects.toMatchObject({ code: 'INVALID_FILE', message });
    await expect(readJsonLines(join(folder, 'none.jsonl')).next()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
