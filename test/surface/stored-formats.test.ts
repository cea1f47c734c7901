import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openEmbedded, SNAPSHOT_FILE } from '../../src/engines/embedded/open-embedded.ts';
import { MIGRATIONS } from '../../src/engines/embedded/record/migrations.ts';
import { SnapshotFile } from '../../src/engines/embedded/snapshot/snapshot-file.ts';
import { entityFacts } from '../../src/model/query/filter.ts';
import { analyzeUnit } from '../../src/search/text/analyzed-unit.ts';
import { ANALYZER_VERSION } from '../../src/search/text/analyzer.ts';
import { indexed, server, TOY_EMBEDDER, temporaryFolder } from '../support/engine-fixtures.ts';

/**
 * What a data folder keeps of earlier versions. Where one of these turns red, a store on disk would be read wrongly:
 * raise the number first, then pin the new bytes.
 */
const digestOf = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

const CLOCK = indexed(
  server('/clock', 'Tells the time, and the date.', {
    tags: ['Time', 'date'],
    owner: 'ada',
    tools: [{ name: 'get_time', description: 'The time of a zone.', inputSchema: { properties: { zone: {} } } }],
  } as object),
);

const TEXTS = [
  'Running the getUserId2 call on /srv/app-v1.2.3, e.g. HTTP_PROXY=on',
  'Les élèves naïfs ﬁnissent à l’école',
  '東京タワーの天気 서울 날씨 Привет мир',
  "it's the runner's best-known tools, isn’t it? C++ and C#",
];

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

it('analyzes text as this version of the analyzer does (ANALYZER_VERSION)', () => {
  const analyses = TEXTS.map((body) => digestOf(JSON.stringify(analyzeUnit({ name: 'x', body }))));
  expect([ANALYZER_VERSION, ...analyses]).toEqual([
    1,
    'a1f2f43a26060a48',
    '74fd5dec91132bec',
    '6eeac629b43c9d07',
    '48111e5319d39896',
  ]);
});

it('stores these facts of an entity (a change needs a migration)', () => {
  expect([MIGRATIONS.at(-1)!.version, entityFacts(CLOCK.entity)]).toEqual([
    10,
    {
      id: 'mcp_server:/clock',
      type: 'mcp_server',
      status: 'active',
      enabled: true,
      tags: ['time', 'date'],
      readers: ['public', 'user:ada'],
      visibility: 'public',
      facets: ['deployment=remote'],
      memory: null,
    },
  ]);
});

it('writes a snapshot of this format (FORMAT of index-snapshot.ts)', async () => {
  const engine = await openEmbedded({ dir: folder.path, embedder: TOY_EMBEDDER, snapshotAfterUnits: 1 });
  await engine.store.put([CLOCK]);
  await engine.close();
  const file = new SnapshotFile<{ readonly format: number }>(join(folder.path, SNAPSHOT_FILE));
  const parts = file.names().map((name) => {
    const part = file.part(name);
    return `${name} ${digestOf(typeof part === 'string' ? part : new Uint8Array(part.buffer))}`;
  });
  file.close();
  expect([file.identity.format, ...parts]).toEqual([
    6,
    'table.numbers 99199beedfb750a6',
    'table.columns.0 0a4f9852e395f794',
    'keyword.header 41b820e2ca8d103c',
    'keyword.terms bdbb31bf5aa9d047',
    'keyword.frequencies 5004fca6fb127541',
    'keyword.postingRows 2a8d9a335915e0e9',
    'keyword.postingCounts 2b6d69d60c856f9b',
    'keyword.fieldLengths 37692dfb6b107053',
    'keyword.rows 91d3827f052f5a4b',
    'boost.header 09bc4a5c5e2b0f78',
    'boost.words 0ea2834347c93b67',
    'boost.frequencies c334d78e5cf4b653',
    'boost.postingRows 07fd03af9c7782f0',
    'boost.postingFields 86c9b37b4665cfa6',
    'boost.cards 80763188eb7d798c',
  ]);
});
