import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/engine-fixtures.ts';
import { readMemoryFile } from './memory-file.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

function written(text: string): string {
  const file = join(folder.path, 'memories.json');
  writeFileSync(file, text);
  return file;
}

it('reads the database of a memory service, without what was deleted', async () => {
  const file = join(folder.path, 'sqlite_vec.db');
  const database = new DatabaseSync(file);
  database.exec(`
    CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT, content TEXT, tags TEXT, memory_type TEXT,
      metadata TEXT, created_at REAL, deleted_at REAL, superseded_by TEXT);
    INSERT INTO memories VALUES (1, 'h1', 'Tea at four', 'food,home', 'note', '{"a": 1}', 1760000000.5, NULL, 'h2');
    INSERT INTO memories VALUES (2, 'h2', 'Tea at five', '', NULL, 'broken', 1760000001, NULL, NULL);
    INSERT INTO memories VALUES (3, 'h3', 'gone', '', NULL, NULL, 1, 2, NULL);
    INSERT INTO memories VALUES (4, 'h4', ' ', '', NULL, NULL, 1, NULL, NULL);
  `);
  database.close();
  expect(await readMemoryFile(file)).toEqual({
    format: 'memory service (SQLite)',
    memories: [
      {
        name: 'h1',
        memory: {
          content: 'Tea at four',
          tags: 'food,home',
          memory_type: 'note',
          metadata: { a: 1 },
          created_at: '2025-10-09T08:53:20.500Z',
        },
        supersededBy: 'h2',
      },
      { name: 'h2', memory: { content: 'Tea at five', created_at: '2025-10-09T08:53:21.000Z' }, supersededBy: null },
    ],
    problems: ['row 4: has no content'],
  });
});

it('reads the file of the reference memory server: observations and relations', async () => {
  const lines = [
    { type: 'entity', name: 'Lena', entityType: 'person', observations: ['likes tea', 'lives in Oslo'] },
    { type: 'relation', from: 'Lena', to: 'Harbor Club', relationType: 'member_of' },
    { type: 'entity', name: 'Empty', entityType: 'person', observations: [] },
  ];
  const file = written(`${lines.map((line) => JSON.stringify(line)).join('\n')}\nnot json\n`);
  const { format, memories, problems } = await readMemoryFile(file);
  expect(format).toBe('reference memory server');
  expect(memories.map(({ name, memory }) => [name, memory.content, memory.memory_type])).toEqual([
    ['Lena 1', 'Lena: likes tea', 'person'],
    ['Lena 2', 'Lena: lives in Oslo', 'person'],
    ['Lena member of Harbor Club', 'Lena member of Harbor Club', 'relation'],
  ]);
  expect(problems).toEqual(['line 4: is not JSON', 'item 3: has no content']);
});

it.each([
  ['a list of texts', JSON.stringify(['one', 'two'])],
  ['an object with memories', JSON.stringify({ memories: [{ content: 'one' }, { content: 'two' }] })],
  ['results of another tool', JSON.stringify({ results: [{ memory: 'one' }, { memory: 'two' }] })],
  ['lines', '{"text":"one"}\n{"text":"two"}'],
])('reads %s', async (_, text) => {
  const { memories } = await readMemoryFile(written(text));
  expect(memories.map(({ memory }) => memory.content)).toEqual(['one', 'two']);
});

it.each([
  ['nothing', ''],
  ['a file without memories', '{"a": 1}'],
  ['text', 'hello'],
])('refuses %s', async (_, text) => {
  await expect(readMemoryFile(written(text))).rejects.toMatchObject({ code: 'INVALID_FILE', field: 'file' });
});

it('says that a file is not there', async () => {
  const missing = readMemoryFile(join(folder.path, 'nowhere.json'));
  await expect(missing).rejects.toMatchObject({ code: 'INVALID_FILE', message: expect.stringContaining('ENOENT') });
});
