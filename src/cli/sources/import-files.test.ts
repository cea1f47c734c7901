import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { idOf, ParsedEntity } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { importFiles } from './import-files.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-import-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function file(name: string, lines: readonly unknown[]): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return path;
}
const skill = (path: string, name = path) => ({ type: 'skill', path, name });

describe('importFiles', () => {
  it('counts what is new and what is replaced', async () => {
    const { putMany, get } = await memoryRegistry();
    const first = await file('a.jsonl', [skill('a'), skill('b')]);
    expect(await importFiles([first], { putMany })).toMatchObject({ added: 2, updated: 0, duplicates: 0, rejected: 0 });
    const second = await file('b.jsonl', [skill('b', 'newer'), skill('c')]);
    expect(await importFiles([second], { putMany })).toMatchObject({ added: 1, updated: 1, duplicates: 0 });
    expect((await get('skill', 'b')).entity.name).toBe('newer');
  });

  it('gives the registry what it need not check again', async () => {
    const given: unknown[] = [];
    const putMany = async (entities: readonly unknown[]) => {
      given.push(...entities);
      return { created: entities.length, updated: 0, pending_vectors: 0, warnings: [] };
    };
    await importFiles([await file('a.jsonl', [skill('a')])], { putMany });
    expect(given).toEqual([expect.any(ParsedEntity)]);
    expect(JSON.parse(JSON.stringify(given))).toEqual([skill('a')]);
  });

  it('lets the later of two lines win, in one batch and across batches', async () => {
    const { putMany, get } = await memoryRegistry();
    const filler = Array.from({ length: 600 }, (_, i) => skill(`filler-${i}`));
    const path = await file('a.jsonl', [skill('x', '1'), skill('x', '2'), ...filler, skill('x', '3')]);
    expect(await importFiles([path], { putMany })).toMatchObject({ added: 601, updated: 0, duplicates: 2 });
    expect((await get('skill', 'x')).entity.name).toBe('3');
  });

  it('rejects bad lines one by one, with their place and reason', async () => {
    const { putMany } = await memoryRegistry();
    const path = await file('a.jsonl', [
      skill('a'),
      '{"half',
      { type: 'gadget', path: 'x' },
      skill('', 'x'),
      '',
      skill('b'),
    ]);
    const summary = await importFiles([path], { putMany });
    expect(summary).toMatchObject({
      added: 2,
      rejected: 3,
      by_reason: { MALFORMED_JSON: 1, UNKNOWN_TYPE: 1, INVALID_REQUEST: 1 },
    });
    expect(summary.first_rejections.map(({ file: name, line, code }) => `${name}:${line} ${code}`)).toEqual([
      'a.jsonl:2 MALFORMED_JSON',
      'a.jsonl:3 UNKNOWN_TYPE',
      'a.jsonl:4 INVALID_REQUEST',
    ]);
  });

  it('says in plain words what is wrong, and in which column of what is not JSON', async () => {
    const path = await file('a.jsonl', [
      { type: 'skill', path: '/a' },
      { path: '/a', name: 'x' },
      skill('/b', 5 as unknown as string),
      { ...skill('/c'), tags: 'x' },
      { ...skill('/d'), is_enabled: 'yes' },
      { ...skill('/e'), metadata: [] },
      { type: 'mcp_server', path: '/f', name: 'f', deployment: 'moon' },
      { type: 'package', path: '/g', name: 'g', relations: [{ type: 'REQUIRES', target: 'b', weight: -1 }] },
      '{"type": "skill", path: "x"}',
      '  {"half',
    ]);
    const { first_rejections } = await importFiles([path], { putMany: (await memoryRegistry()).putMany });
    expect(first_rejections.map(({ line, column, message }) => [line, column, message])).toEqual([
      [1, undefined, "'name' of the skill entity is missing: must be text."],
      [2, undefined, "'type' is missing."],
      [3, undefined, "'name' of the skill entity is 5: must be text."],
      [4, undefined, `'tags' of the skill entity is "x": must be a list.`],
      [5, undefined, `'is_enabled' of the skill entity is "yes": must be true or false.`],
      [6, undefined, "'metadata' of the skill entity is []: must be an object."],
      [7, undefined, `'deployment' of the mcp_server entity is "moon": must be one of remote, local.`],
      [8, undefined, "'relations.0.weight' of the package entity is -1: must be a number from 0."],
      [9, 19, "Not JSON: unexpected 'p'."],
      [10, 9, 'Not JSON: the line ends too early.'],
    ]);
  });

  it('stores nothing when one of the files is not UTF-8', async () => {
    const { putMany, health } = await memoryRegistry();
    const latin = join(dir, 'latin.jsonl');
    await writeFile(latin, `\n${JSON.stringify(skill('/b', 'café'))}`, 'latin1');
    await expect(importFiles([await file('a.jsonl', [skill('a')]), latin], { putMany })).rejects.toMatchObject({
      code: 'INVALID_FILE',
      message: expect.stringContaining(`Line 2 of ${latin}`),
    });
    expect((await health()).index.entities).toBe(0);
  });

  it('keeps the first ten reasons and counts all', async () => {
    const path = await file(
      'a.jsonl',
      Array.from({ length: 25 }, () => 'oops'),
    );
    const summary = await importFiles([path], { putMany: (await memoryRegistry()).putMany });
    expect([summary.rejected, summary.first_rejections.length]).toEqual([25, 10]);
  });

  it('notes what it ignored of the lines it took, the first ten with their place', async () => {
    const odd = Array.from({ length: 12 }, (_, i) => ({ ...skill(`odd-${i}`), color: 'red' }));
    const path = await file('a.jsonl', [skill('a'), ...odd]);
    const summary = await importFiles([path], { putMany: (await memoryRegistry()).putMany });
    expect(summary).toMatchObject({ added: 13, rejected: 0, warnings: 12 });
    expect(summary.first_warnings).toHaveLength(10);
    expect(summary.first_warnings[0]).toEqual({
      file: 'a.jsonl',
      line: 2,
      message: "Unknown field 'color' of skill was ignored.",
    });
  });

  it('takes what the registry refuses out of the batch and stores the rest', async () => {
    const fake = await memoryRegistry();
    const putMany = async (entities: readonly ParsedEntity[]) => {
      const at = entities.findIndex(({ entity }) => entity.name === 'refused');
      if (at !== -1) throw new DowserError('INVALID_REQUEST', 'No.', { field: `entities.${at}.name` });
      return fake.putMany(entities);
    };
    const path = await file('a.jsonl', [skill('a'), skill('b', 'refused'), skill('c'), skill('d', 'refused')]);
    const summary = await importFiles([path], { putMany });
    expect(summary).toMatchObject({ added: 2, rejected: 2 });
    expect(summary.first_rejections.map(({ line }) => line)).toEqual([2, 4]);
  });

  it('passes trouble that no line is to blame for on', async () => {
    const putMany = async () => {
      throw new DowserError('STORE_FULL', 'The disk is full.');
    };
    await expect(importFiles([await file('a.jsonl', [skill('a')])], { putMany })).rejects.toMatchObject({
      code: 'STORE_FULL',
    });
  });

  it('looks at every file before it stores anything', async () => {
    let stored = 0;
    const putMany = async () => {
      stored++;
      return { created: 0, updated: 0, pending_vectors: 0, warnings: [] };
    };
    const files = [await file('a.jsonl', [skill('a')]), join(dir, 'missing.jsonl')];
    await expect(importFiles(files, { putMany })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(stored).toBe(0);
  });

  it('sends at most 500 entities and never much text at once', async () => {
    const sizes: number[] = [];
    const putMany = async (entities: readonly ParsedEntity[]) => {
      sizes.push(entities.length);
      return {
        created: new Set(entities.map(({ entity }) => idOf(entity))).size,
        updated: 0,
        pending_vectors: 0,
        warnings: [],
      };
    };
    const small = await file(
      'a.jsonl',
      Array.from({ length: 1001 }, (_, i) => skill(`${i}`)),
    );
    await importFiles([small], { putMany });
    expect(sizes.splice(0)).toEqual([500, 500, 1]);
    const body = 'x'.repeat(900_000);
    const large = await file(
      'b.jsonl',
      Array.from({ length: 8 }, (_, i) => ({ ...skill(`${i}`), body })),
    );
    await importFiles([large], { putMany });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4);
  });

  it('sends what is too large for a server in parts, and rejects only what no part can hold', async () => {
    const { putMany: store } = await memoryRegistry();
    const putMany = async (entities: readonly ParsedEntity[]) => {
      if (JSON.stringify(entities).length > 2000) throw new DowserError('BODY_TOO_LARGE', 'Too large.');
      return store(entities);
    };
    const lines = [...Array.from({ length: 20 }, (_, i) => skill(`${i}`)), { ...skill('big'), body: 'x'.repeat(5000) }];
    const summary = await importFiles([await file('a.jsonl', lines)], { putMany });
    expect(summary).toMatchObject({ added: 20, rejected: 1, by_reason: { BODY_TOO_LARGE: 1 } });
    expect(summary.first_rejections[0]?.line).toBe(21);
  });

  it('stops between lines when it is told to', async () => {
    const path = await file('a.jsonl', [skill('a'), skill('b')]);
    const summary = await importFiles([path], {
      putMany: (await memoryRegistry()).putMany,
      signal: AbortSignal.abort(),
    });
    expect(summary).toMatchObject({ added: 0, rejected: 0 });
  });
});
