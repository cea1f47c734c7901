import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../../test/support/command-run.ts';
import { command as graph } from './graph.ts';
import { command as importEntities } from './import.ts';
import { command as recommend } from './recommend.ts';

let dir: string;
const data = () => ['--data', join(dir, 'data')];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dowser-graph-'));
  const entities = [
    { type: 'package', path: '/queue', name: 'Queue', description: 'A job queue', language: 'Go', license: 'MIT' },
    { type: 'package', path: '/redis', name: 'Redis', description: 'A cache', language: 'C' },
  ];
  await writeFile(join(dir, 'entities.jsonl'), entities.map((entity) => JSON.stringify(entity)).join('\n'));
  await runCommand(importEntities, ['import', join(dir, 'entities.jsonl'), ...data()]);
});
afterEach(() => rm(dir, { recursive: true }));

it('imports edges, says which were skipped, and shows them around an entity', async () => {
  const file = join(dir, 'edges.jsonl');
  const lines = [
    JSON.stringify({ source: '/queue', target: 'redis', type: 'requires' }),
    '{"source":',
    JSON.stringify({ source: '/queue', target: '/nowhere', type: 'REQUIRES' }),
  ];
  await writeFile(file, lines.join('\n'));
  const said = await runCommand(graph, ['graph', 'import', file, ...data()]);
  expect(said).toContain('1 stored, 2 skipped');
  expect(said).toContain('edges.jsonl:2  Not JSON');
  expect(said).toContain('edges.jsonl:3  There is no entity "/nowhere".');
  const around = await runCommand(graph, ['graph', 'around', '/redis', ...data()]);
  expect(around).toContain('1 relation of package:/redis');
  expect(around).toContain('<- REQUIRES  package:/queue  /queue requires /redis (imported from edges.jsonl)');
});

it('recommends with what was asked, what was left out and what is needed first', async () => {
  await writeFile(join(dir, 'e.jsonl'), '{"source": "/queue", "target": "/redis", "type": "REQUIRES"}');
  await runCommand(graph, ['graph', 'import', join(dir, 'e.jsonl'), ...data()]);
  const asked = ['recommend', 'job', 'queue', '--language', 'go', '--license', 'Apache-2.0', ...data()];
  const said = await runCommand(recommend, asked);
  expect(said).toContain('Queue  package:/queue');
  expect(said).toContain('language go as asked');
  expect(said).toContain('Nothing matches every wish. Dropped: license.');
  expect(said).toMatch(/Needed first\n {2}package:\/redis {2}\/queue requires \/redis/);
  const json = JSON.parse((await runCommand(recommend, [...asked, '--json'])).replace(/^[^{]*/, ''));
  expect(json).toMatchObject({ relaxed: ['license'], recommendations: [{ path: '/queue' }] });
});

it('says what is missing', async () => {
  await expect(runCommand(graph, ['graph', 'arond', '/redis', ...data()])).rejects.toThrow('no graph action "arond"');
  await expect(runCommand(graph, ['graph', 'around', '/nowhere', ...data()])).rejects.toThrow('/nowhere');
});
