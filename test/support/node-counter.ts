/** A process that is a node, and adds to one entity as often as it is told. */
import { openReplica } from '../../src/engines/shared/open-replica.ts';
import { PostgresRecord } from '../../src/engines/shared/postgres/postgres-record.ts';
import { entityId } from '../../src/model/entity.ts';
import { indexed, server, TOY_EMBEDDER } from './engine-fixtures.ts';

const [url, dir, times] = process.argv.slice(2);
const { store, close } = await openReplica({
  dir: dir!,
  embedder: TOY_EMBEDDER,
  record: new PostgresRecord(url!),
}).then((node) => ({ store: node.store, close: () => node.close() }));
for (let n = 0; n < Number(times); n++) {
  await store.inTurn(async () => {
    const [stored] = await store.getMany([entityId('mcp_server', '/count')]);
    const before = (stored?.entity.metadata.n as number | undefined) ?? 0;
    await store.put([indexed(server('/count', 'x', { metadata: { n: before + 1 } }))]);
  });
}
await close();
