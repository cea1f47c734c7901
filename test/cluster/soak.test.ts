import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/config.ts';
import { openKeys } from '../../src/open-keys.ts';
import { Sandbox } from '../e2e/cli-process.ts';
import { failInCi } from '../support/fail-in-ci.ts';
import { startFakeEmbeddingServer } from '../support/fake-embedding-server.ts';
import { newSchema, usePostgres } from '../support/postgres.ts';
import { qdrantAddress, useQdrant } from '../support/qdrant.ts';
import { startProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/**
 * Three nodes, writers at each, and a fault every few seconds: `npm run test:cluster -- test/cluster/soak.test.ts`.
 * `SOAK_MS=60000` for a minute of each.
 */
const SOAK_MS = Number(process.env.SOAK_MS ?? 600_000);
const SEED = Number(process.env.SEED ?? 39);
/** Of ten minutes. */
const MIN_ACKNOWLEDGED = 5_000;
const WRITERS = 18;
const PATHS_OF_WRITER = 15;
/** The share of the writes that is read back at once, at any node. */
const READ_BACK = 0.3;
const QUERIES = 200;
const DIMENSIONS = 32;
const ANSWER_MS = 15_000;
/** When every key is made and revoked. */
const NOW = new Date('2026-03-01T12:00:00.000Z');

const [postgres, qdrant] = [await usePostgres(), await useQdrant()];
afterAll(async () => {
  await postgres?.remove();
  await qdrant?.remove();
});

/** Numbers from 0 to 1, the same for each seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS = ['copper', 'kettle', 'invoice', 'rocket', 'garden', 'violin', 'harbor', 'lantern', 'pepper', 'window'];
const textOf = (path: string, version: number) => {
  const at = [...path].reduce((sum, char) => sum + char.charCodeAt(0), version);
  return [0, 3, 7, 11].map((step) => WORDS[(at * (step + 1) + step) % WORDS.length]).join(' ');
};

/** What one path must be at the end. After a write whose end is unknown it is not written again. */
interface Path {
  readonly name: string;
  /** The version of the last acknowledged write; null: deleted, or never written. */
  last: number | null;
  /** A later write that may have happened. Undefined: none. */
  unknown?: number | null;
}

class SoakNode {
  readonly proxy: TcpProxy;
  url = '';
  #served: Awaited<ReturnType<Sandbox['serve']>> | null = null;
  readonly #start: () => ReturnType<Sandbox['serve']>;

  constructor(proxy: TcpProxy, start: () => ReturnType<Sandbox['serve']>) {
    this.proxy = proxy;
    this.#start = start;
  }

  async start(): Promise<void> {
    this.#served = await this.#start();
    this.url = this.#served.url;
  }

  kill = () => this.#served!.stop('SIGKILL');
  pause = () => void this.#served!.stop('SIGSTOP');
  goOn = () => void this.#served!.stop('SIGCONT');
}

type Ask = (
  node: { readonly url: string },
  method: string,
  path: string,
  body?: unknown,
  revision?: string | null,
) => Promise<Response>;

const askWith =
  (key: string): Ask =>
  (node, method, path, body, revision = null) =>
    fetch(`${node.url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(revision === null ? {} : { 'Dowser-Revision': revision }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });

const entityAt = (path: string) => `/api/entities/mcp_server${path}`;
const versionIn = async (response: Response) =>
  response.status === 404 ? null : Number(/version (\d+)/.exec(JSON.stringify(await response.json()))![1]);

/** One run. `vectors`: the address of Qdrant. */
async function soak(url: string, vectors: string | null, sandbox: Sandbox) {
  const random = randomNumbers(SEED);
  const among = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
  const embedder = await startFakeEmbeddingServer(DIMENSIONS);
  const keys = await openKeys(parseSettings({ store: url, data_dir: join(sandbox.dir, 'operator') }));
  const admin = { groups: [], scopes: ['admin'], expiresAt: null } as const;
  const { key } = await keys.create({ ...admin, name: 'soak' }, NOW);
  const ask = askWith(key);

  const startOf = (name: string, store: string) => () =>
    sandbox.serve([], {
      DOWSER_STORE: store,
      DOWSER_DATA: join(sandbox.dir, name),
      DOWSER_AUTH: 'true',
      DOWSER_RATE_LIMIT: '100000',
      EMBEDDINGS_PROVIDER: 'openai',
      EMBEDDINGS_API_BASE: embedder.base,
      EMBEDDINGS_API_KEY: 'sk-soak',
      EMBEDDINGS_MODEL_NAME: 'letters',
      EMBEDDINGS_DIMENSIONS: String(DIMENSIONS),
      ...(vectors === null ? {} : { DOWSER_VECTORS: vectors }),
    });
  const nodes: SoakNode[] = [];
  for (const name of ['a', 'b', 'c']) {
    const proxy = await startProxy(postgres!.port);
    const store = url.replace(`:${postgres!.port}/`, `:${proxy.port}/`);
    const node = new SoakNode(proxy, startOf(name, store));
    await node.start();
    nodes.push(node);
  }

  const count = { acknowledged: 0, unacknowledged: 0, readBack: 0, notReadBack: 0 };
  const stale: string[] = [];
  const paths: Path[] = [];
  let isOver = false;
  const write = async (writer: number) => {
    let made = 0;
    const own: Path[] = [];
    const add = () => {
      const path: Path = { name: `/w${writer}-${made++}`, last: null };
      paths.push(path);
      return path;
    };
    for (let version = 1; !isOver; version++) {
      const at = Math.floor(random() * PATHS_OF_WRITER);
      own[at] ??= add();
      const path = own[at]!;
      const isDelete = path.last !== null && random() < 0.1;
      const node = nodes[(writer + (random() < 0.1 ? 1 : 0)) % 3]!;
      const text = `version ${version} ${textOf(path.name, version)}`;
      let revision: string | null = null;
      try {
        const body = isDelete ? undefined : { name: path.name.slice(1), description: text };
        const answer = await ask(node, isDelete ? 'DELETE' : 'PUT', entityAt(path.name), body);
        if (!answer.ok) throw new Error(await answer.text());
        await answer.arrayBuffer();
        revision = answer.headers.get('dowser-revision');
      } catch {
        count.unacknowledged++;
        path.unknown = isDelete ? null : version;
        delete own[at];
        await wait(1_000);
        continue;
      }
      count.acknowledged++;
      path.last = isDelete ? null : version;
      if (random() > READ_BACK) continue;
      try {
        const other = among(nodes);
        const answer = await ask(other, 'GET', entityAt(path.name), undefined, revision);
        if (answer.ok || answer.status === 404) {
          const found = await versionIn(answer);
          count.readBack++;
          if (found !== path.last) stale.push(`${path.name}: ${found} instead of ${path.last}`);
        } else count.notReadBack++;
      } catch {
        count.notReadBack++;
      }
    }
  };

  const made: { readonly key: string; isRevoked: boolean; isSure: boolean }[] = [];
  const changeKeys = async () => {
    for (let n = 0; !isOver; n++) {
      try {
        const created = await keys.create({ ...admin, scopes: ['read'], name: `k${n}` }, NOW);
        made.push({ key: created.key, isRevoked: false, isSure: true });
        const old = made.length > 3 ? made[made.length - 3]! : null;
        if (old !== null && n % 2 === 0 && !old.isRevoked) {
          old.isRevoked = true;
          // A revocation whose end is unknown is left out.
          old.isSure = false;
          await keys.revoke((await keys.find(old.key))!.id, NOW);
          old.isSure = true;
        }
      } catch {
        // The database is down.
      }
      await wait(1_000);
    }
  };

  const faults: Record<string, number> = {};
  const seconds = (from: number, to: number) => wait(1000 * (from + random() * (to - from)));
  const kinds: Readonly<Record<string, () => Promise<void>>> = {
    kill: async () => {
      // The first node lives through everything: it is compared with a new one.
      const node = among(nodes.slice(1));
      await node.kill();
      await seconds(1, 4);
      await node.start();
    },
    pause: async () => {
      const node = among(nodes);
      node.pause();
      await seconds(2, 8);
      node.goOn();
    },
    silence: async () => {
      const { proxy } = among(nodes);
      proxy.isSilent = true;
      await seconds(2, 8);
      proxy.isSilent = false;
    },
    cut: async () => among(nodes).proxy.drop(),
    database: async () => {
      await postgres!.kill();
      await seconds(1, 3);
      await postgres!.start();
    },
    ...(vectors === null
      ? {}
      : {
          qdrant: async () => {
            await qdrant!.kill();
            await seconds(1, 3);
            await qdrant!.start();
          },
        }),
  };
  const order = Object.keys(kinds);
  // A lost server stops all writers.
  const usual = order.filter((kind) => !['database', 'qdrant'].includes(kind));
  const work = [changeKeys(), ...Array.from({ length: WRITERS }, (_, n) => write(n))];
  let isEnding = false;
  const ending = wait(SOAK_MS).then(() => {
    isEnding = true;
  });
  for (let n = 0; !isEnding; n++) {
    await seconds(6, 12);
    // Each kind at first, then any.
    const kind = order[n] ?? among([...order, ...usual, ...usual]);
    faults[kind] = (faults[kind] ?? 0) + 1;
    await kinds[kind]!();
  }
  await ending;
  isOver = true;
  await Promise.all(work);

  // A node that never was disturbed, and reads everything now.
  const fresh = new SoakNode(nodes[0]!.proxy, startOf('fresh', url));
  await fresh.start();
  const all = [...nodes, fresh];
  const settled = async (node: SoakNode) => {
    const { replica, index, vector_server } = JSON.parse(await (await ask(node, 'GET', '/api/health')).text());
    const isHere = replica.ready && replica.revision === replica.head;
    return [isHere, index.missing_vectors, vector_server?.pending ?? 0].join();
  };
  for (const node of all) await expect.poll(() => settled(node), { timeout: 300_000, interval: 500 }).toBe('true,0,0');

  const lost: string[] = [];
  for (const node of all) {
    for (const { name, last, unknown } of paths) {
      const found = await versionIn(await ask(node, 'GET', entityAt(name)));
      if (found !== last && (unknown === undefined || found !== unknown)) {
        lost.push(`${name} at ${node.url}: ${found} instead of ${last}`);
      }
    }
  }
  const wrongKeys: string[] = [];
  for (const node of all) {
    for (const one of made.filter(({ isSure }) => isSure)) {
      const { status } = await askWith(one.key)(node, 'GET', '/api/tags');
      if (status !== (one.isRevoked ? 401 : 200)) wrongKeys.push(`${status} of ${JSON.stringify(one)}`);
    }
  }
  const different: string[] = [];
  let hits = 0;
  for (let n = 0; n < QUERIES; n++) {
    const query = `${textOf(`/q${n}`, n)} ${n % 3 === 0 ? `w${n % WRITERS}-${n}` : ''}`;
    const answers = await Promise.all(
      all.map(async (node) => {
        const answer = await ask(node, 'POST', '/api/search/semantic', { query, max_results: 20 });
        const { results, search_mode } = JSON.parse(await answer.text());
        hits += results.length;
        return JSON.stringify([
          search_mode,
          results.map(({ path, relevance_score, confidence }: Record<string, unknown>) => {
            return [path, relevance_score, confidence];
          }),
        ]);
      }),
    );
    if (new Set(answers).size > 1) different.push(`${query}:\n${answers.join('\n')}`);
  }

  await keys.close();
  await embedder.close();
  for (const { proxy } of nodes) await proxy.close();

  const bad = { stale: stale.length, lost: lost.length, wrongKeys: wrongKeys.length, different: different.length };
  process.stderr.write(
    `\nsoak ${vectors === null ? 'without' : 'with'} Qdrant, seed ${SEED}: ${JSON.stringify({
      ms: SOAK_MS,
      ...count,
      faults,
      paths: paths.length,
      keys: made.length,
      hits,
      ...bad,
    })}\n`,
  );
  return { acknowledged: count.acknowledged, hits, faults, stale, lost, wrongKeys, different };
}

if (postgres === null || qdrant === null) {
  failInCi('a PostgreSQL and a Qdrant');
} else {
  describe('three nodes that are killed, paused and cut off while writers are at work', () => {
    it.each([
      ['in memory', null],
      ['in Qdrant', qdrantAddress(qdrant)],
    ] as const)(
      'lose no acknowledged write and end with equal answers, with vectors %s',
      async (_, vectors) => {
        const sandbox = await Sandbox.open();
        try {
          const { acknowledged, hits, faults, ...bad } = await soak(await newSchema(postgres), vectors, sandbox);
          // Four nodes, and answers that have something to compare.
          expect(hits).toBeGreaterThan(4 * QUERIES);
          expect(bad).toEqual({ stale: [], lost: [], wrongKeys: [], different: [] });
          if (SOAK_MS >= 600_000) expect(acknowledged).toBeGreaterThanOrEqual(MIN_ACKNOWLEDGED);
          expect(Object.keys(faults).length).toBeGreaterThanOrEqual(vectors === null ? 5 : 6);
        } finally {
          await sandbox.close();
        }
      },
      SOAK_MS + 900_000,
    );
  });
}
