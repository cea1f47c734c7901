import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { answerOf } from '../ask.ts';
import type { EmbeddingEndpoint } from '../embedding-endpoint.ts';
import { ExpectedContents } from '../kill/expected-contents.ts';
import { Writer } from '../kill/writer.ts';
import { randomOf } from '../random.ts';
import { serveProcess } from '../served-process.ts';
import { type Contents, entityKey, readContents } from '../store-contents.ts';

/** A data folder that nothing is wrong with, and an older copy of it. */
export interface HealthyStore {
  readonly name: string;
  readonly dir: string;
  readonly older: string;
  readonly contents: Contents;
}

/** More than the units after which a snapshot is written. */
const TOOLS = 520;
const WRITES = 40;

/** One store whose server was killed, so that it has a log, and one that was closed, so that it has a snapshot. */
export async function healthyStores(root: string, embeddings: EmbeddingEndpoint): Promise<readonly HealthyStore[]> {
  const data = join(root, 'healthy');
  const expected = new ExpectedContents();
  const older = join(root, 'older');
  await write({ data, embeddings, expected, seed: 1, fill: true, end: 'SIGTERM' });
  cpSync(data, older, { recursive: true });
  const stores: HealthyStore[] = [];
  for (const [seed, name, end] of [
    [2, 'killed', 'SIGKILL'],
    [3, 'closed', 'SIGTERM'],
  ] as const) {
    const contents = await write({ data, embeddings, expected, seed, fill: name === 'closed', end });
    const dir = join(root, name);
    cpSync(data, dir, { recursive: true });
    stores.push({ name, dir, older, contents });
  }
  return stores;
}

interface WriteOptions {
  readonly data: string;
  readonly embeddings: EmbeddingEndpoint;
  readonly expected: ExpectedContents;
  readonly seed: number;
  /** Begin with a batch that makes a snapshot at the end. */
  readonly fill: boolean;
  readonly end: NodeJS.Signals;
}

/** Starts a server, lets two writers make some writes of every kind, and ends it. */
async function write({ data, embeddings, expected, seed, fill, end }: WriteOptions): Promise<Contents> {
  const server = await serveProcess(data, embeddings.environment('north'));
  try {
    if (fill) await putTools(server.url, expected, seed);
    const writers = [0, 1].map((n) => new Writer(`w${n}`, expected, randomOf(10 * seed + n)));
    await Promise.all(writers.map((writer) => writer.run(server.url, WRITES)));
    return await readContents(server.url);
  } finally {
    await server.end(end);
  }
}

async function putTools(url: string, expected: ExpectedContents, seed: number): Promise<void> {
  const entities = Array.from({ length: TOOLS }, (_, n) => ({
    type: 'tool',
    path: `/many-${n}`,
    name: `tool ${n}`,
    description: `Keeps lamp many${n}z${seed}q alight.`,
  }));
  const attempt = expected.begin(
    new Map(entities.map(({ path, description }) => [entityKey('tool', path), description])),
  );
  await answerOf(url, 'POST', '/api/entities:batch', { entities });
  attempt.acknowledge();
}
