import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openEmbedded } from '../../../src/engines/embedded/open-embedded.ts';
import { migrate } from '../../../src/engines/shared/migrate.ts';
import { PostgresRecord } from '../../../src/engines/shared/postgres/postgres-record.ts';
import type { SharedRecord } from '../../../src/engines/shared-record.ts';
import { entityId } from '../../../src/model/entity.ts';
import { edge } from '../../conformance/graph-suite.ts';
import { indexed, server, TOY_EMBEDDER, temporaryFolder } from '../../support/engine-fixtures.ts';
import { liveALittle, portrait } from '../../support/engine-life.ts';
import { failInCi } from '../../support/fail-in-ci.ts';
import { ask, newSchema, usePostgres } from '../../support/postgres.ts';
import { openNode } from '../../support/shared-nodes.ts';

const postgres = await usePostgres();
afterAll(() => postgres?.remove());

function folderFor(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  return folder.path;
}

const openRecord = (url: string) => new PostgresRecord(url);
const open = (dir: string) => openEmbedded({ dir, embedder: TOY_EMBEDDER });

/** A store with some of everything. */
async function filled(entities: number): Promise<string> {
  const dir = folderFor();
  const engine = await open(dir);
  await liveALittle(engine, 0, entities);
  await engine.store.put([indexed(server('/noted', 'rope \ud800\0'))]);
  await engine.store.annotate([{ id: entityId('mcp_server', '/noted'), key: 'note', value: { stars: 3 } }]);
  await engine.edges.put([edge('x', 'y', { weight: 3 })]);
  await engine.close();
  return dir;
}

async function lookOf(dir: string) {
  const engine = await open(dir);
  const look = [await portrait(engine), await engine.store.annotated('note'), engine.copy.edges()];
  await engine.close();
  return look;
}

if (postgres === null) {
  failInCi('a PostgreSQL');
} else {
  describe('a migration', () => {
    it('moves everything into a record and back, with the times', async () => {
      const url = await newSchema(postgres);
      const [from, back] = [await filled(150), join(folderFor(), 'back')];
      const before = await lookOf(from);
      const moved = await migrate({ from, to: url, openRecord });
      expect(moved.entities).toBeGreaterThan(100);
      expect(moved.searches).toBeGreaterThanOrEqual(100);
      expect(moved.vectors).toBeGreaterThan(100);
      const node = await openNode(url);
      expect(await portrait(node)).toEqual(before[0]);
      expect(await migrate({ from: url, to: back, openRecord })).toEqual(moved);
      expect(await lookOf(back)).toEqual(before);
      expect(await lookOf(from)).toEqual(before);
    });

    it('goes on where it was interrupted', async () => {
      const url = await newSchema(postgres);
      const from = await filled(250);
      let writes = 0;
      const failing = (address: string): SharedRecord => {
        const record = openRecord(address);
        const { inTurn } = record;
        record.inTurn = (work) => {
          if (++writes === 3) throw new Error('interrupted');
          return inTurn.call(record, work) as never;
        };
        return record;
      };
      await expect(migrate({ from, to: url, openRecord: failing })).rejects.toThrow('interrupted');
      expect(readdirSync(from)).toContain('migration.json');
      const [head] = await ask(url, 'SELECT seq FROM dowser_head');
      expect(head).toEqual({ seq: '2' });
      await migrate({ from, to: url, openRecord });
      expect(readdirSync(from)).not.toContain('migration.json');
      expect(await portrait(await openNode(url))).toEqual((await lookOf(from))[0]);
      // The first page was not written again.
      expect(await ask(url, 'SELECT min(seq) AS first FROM dowser_entities')).toEqual([{ first: '1' }]);
    });

    it('refuses a place that is not empty, and says when the ends differ', async () => {
      const url = await newSchema(postgres);
      const from = await filled(20);
      await migrate({ from, to: url, openRecord });
      await expect(migrate({ from, to: url, openRecord })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
      await expect(migrate({ from: url, to: from, openRecord })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });

      const other = await newSchema(postgres);
      const lossy = (address: string): SharedRecord => {
        const record = openRecord(address);
        const { since } = record;
        record.since = async (query) => {
          const page = await since.call(record, query);
          return { ...page, entities: page.entities.slice(1) };
        };
        return record;
      };
      await expect(migrate({ from, to: other, openRecord: lossy })).rejects.toMatchObject({
        code: 'STORE_LOST_WRITES',
      });
    });
  });
}
