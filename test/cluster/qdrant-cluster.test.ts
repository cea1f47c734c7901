import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { ensureQdrant, startQdrantCluster } from '../../scripts/servers.mjs';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { QdrantVectors } from '../../src/engines/qdrant/qdrant-vectors.ts';
import { indexed, server as mcpServer, TOY_EMBEDDER, temporaryFolder, toyVector } from '../support/engine-fixtures.ts';
import { failInCi } from '../support/fail-in-ci.ts';
import { qdrantAddress } from '../support/qdrant.ts';
import { onlyCollection } from '../support/qdrant-points.ts';
import { retrieveVector } from '../support/retrieve.ts';

/** How long it is searched and written to in each state of the cluster. */
const PHASE_MS = Number(process.env.PHASE_MS ?? 4_000);
const installed = ensureQdrant();
const cluster = 'missing' in installed ? null : await startQdrantCluster(installed, 3);
afterAll(() => Promise.all((cluster ?? []).map((node) => node.remove())));

const words = ['copper', 'kettle', 'invoice', 'rocket', 'garden', 'violin'];
const textOf = (n: number) => `${words[n % 6]} ${words[(n * 5 + 1) % 6]} number ${n}`;

if (cluster === null) {
  process.stderr.write('\nNO QDRANT: the cluster is not tested.\n');
  failInCi('a Qdrant');
} else {
  describe('three nodes of Qdrant, with two copies of each vector', () => {
    it('answer every search and take every write while one of them is killed and comes back', async () => {
      const folder = temporaryFolder();
      const vectors = new QdrantVectors({ address: qdrantAddress(...cluster), replication: 2, shards: 6 });
      const engine = await openEmbedded({ dir: folder.path, embedder: TOY_EMBEDDER, vectorServer: vectors });
      onTestFinished(async () => {
        await engine.close();
        folder.remove();
      });
      const put = (from: number, count: number) =>
        engine.store.put(
          Array.from({ length: count }, (_, n) => indexed(mcpServer(`/s${from + n}`, textOf(from + n)))),
        );
      await put(0, 400);
      await vectors.settled();

      let written = 400;
      const failures: string[] = [];
      const storm = async () => {
        let isOver = false;
        const end = wait(PHASE_MS).then(() => {
          isOver = true;
        });
        for (let n = 0; !isOver; n++) {
          try {
            const found = await retrieveVector(engine.index, { vector: toyVector(textOf(n % 400)), limit: 10 });
            if (found.length !== 10) failures.push(`${found.length} hits`);
          } catch (error) {
            failures.push(String(error));
          }
          if (n % 20 === 0) await put(written++, 1);
          await wait(2);
        }
        await end;
      };
      await storm();
      // The node that is asked first, with its shards.
      const killing = wait(PHASE_MS / 4).then(() => cluster[0]!.kill());
      await storm();
      await killing;
      await storm();
      await cluster[0]!.start();
      await storm();

      expect(failures).toEqual([]);
      await expect.poll(() => vectors.status().pending).toBe(0);
      for (const node of cluster) {
        await expect.poll(async () => (await onlyCollection(node)).count()).toBe(written);
      }
    }, 600_000);
  });
}
