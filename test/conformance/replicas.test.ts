import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { openReplica } from '../../src/engines/shared/open-replica.ts';
import { PostgresRecord } from '../../src/engines/shared/postgres/postgres-record.ts';
import { EmbeddedGraphStore } from '../../src/graph/embedded-graph-store.ts';
import { temporaryFolder } from '../support/engine-fixtures.ts';
import { failInCi } from '../support/fail-in-ci.ts';
import { newSchema, usePostgres } from '../support/postgres.ts';
import { engineSuite } from './engine-suite.ts';
import type { EngineUnderTest, OpenOptions } from './engine-under-test.ts';
import { graphSuite } from './graph-suite.ts';

const server = await usePostgres();
afterAll(() => server?.remove());

/** By folder of the suite: a folder that is opened again belongs to the same record. */
const records = new Map<string, string>();

async function recordOf(dir: string): Promise<PostgresRecord> {
  const url = records.get(dir) ?? (await newSchema(server!));
  records.set(dir, url);
  return new PostgresRecord(url);
}

function subject(name: string, folderOf: (dir: string) => string): EngineUnderTest {
  return {
    name,
    isDurable: true,
    open: async ({ dir, embedder, now }: OpenOptions) =>
      openReplica({ dir: folderOf(dir), embedder, now, record: await recordOf(dir) }),
  };
}

if (server === null) {
  failInCi('a PostgreSQL');
} else {
  graphSuite({
    name: 'embedded over a shared record',
    async open() {
      const url = await newSchema(server);
      const folders: { remove(): void }[] = [];
      const open = () => {
        const folder = temporaryFolder();
        folders.push(folder);
        return openReplica({ dir: folder.path, embedder: null, record: new PostgresRecord(url) });
      };
      let engine = await open();
      onTestFinished(async () => {
        await engine.close();
        for (const folder of folders) folder.remove();
      });
      return {
        store: new EmbeddedGraphStore(engine.edges),
        async reopen() {
          await engine.close();
          engine = await open();
          return new EmbeddedGraphStore(engine.edges);
        },
      };
    },
  });
  engineSuite(subject('replica', (dir) => dir));
  let opened = 0;
  engineSuite(subject('replica with a new folder at each start', (dir) => join(dir, `copy${opened++}`)));
}
