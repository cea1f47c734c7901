/** Fills a store, copies part of it from the log to the database, writes more, and closes or is killed. */
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { indexed, server, TOY_EMBEDDER } from './engine-fixtures.ts';

const [dir = '', count = '0', end = 'close'] = process.argv.slice(2);
const put = async (from: number, to: number) => {
  const engine = await openEmbedded({ dir, embedder: TOY_EMBEDDER, snapshotAfterUnits: Number.POSITIVE_INFINITY });
  for (let at = from; at < to; at += 20) {
    const batch = Array.from({ length: 20 }, (_, i) =>
      server(`/s${at + i}`, `lighthouse ${at + i} ${'lamp '.repeat(30)}`),
    );
    await engine.store.put(batch.map((one) => indexed(one)));
  }
  return engine;
};
await (await put(0, Number(count) / 2)).close();
const engine = await put(Number(count) / 2, Number(count));
await engine.store.annotate([{ id: 'mcp_server:/s0' as never, key: 'note', value: { seen: true } }]);
if (end === 'kill') process.kill(process.pid, 'SIGKILL');
await engine.close();
