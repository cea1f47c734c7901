import { expect, it, onTestFinished, vi } from 'vitest';
import type { UnitId } from '../../model/entity-parts/unit.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { Bitset } from '../../search/filter/bitset.ts';
import { PendingPoints } from './pending-points.ts';
import { PointSync } from './point-sync.ts';
import type { QdrantClient } from './qdrant-client.ts';
import type { QdrantSpace } from './qdrant-space.ts';
import { INDEX_DEFAULTS } from './qdrant-vectors.ts';

const UNIT = 'tool:/one#card' as UnitId;

/** The vectors of one model: one row. */
function spaceOf(model: string): QdrantSpace {
  const space = {
    embedder: { id: model, dimensions: 2 },
    pending: new PendingPoints(),
    present: new Bitset(),
    rows: { table: { unitAt: () => ({ id: UNIT }), unit: () => undefined } },
    size: 1,
    lacking: 0,
    payload: () => ({ digest: 1 }),
    vectorOf: () => Float32Array.of(1, 0),
    lose() {},
    changed() {},
  };
  return space as unknown as QdrantSpace;
}

/** Notes which collections are read whole, and fails a write where `failure` says so. */
function fakeClient() {
  const collections = new Set<string>();
  const compared: string[] = [];
  const fake = { failure: (_collection: string): DowserError | null => null };
  async function ask(method: string, path: string): Promise<unknown> {
    const [, , name, ...rest] = path.split('/');
    const what = `${method} ${rest.join('/')}`;
    if (what === 'PUT ') collections.add(name!);
    if (what === 'GET ') return { config: { params: { vectors: { size: 2, distance: 'Cosine' } } } };
    if (what === 'POST points/count') return { count: 1 };
    if (what === 'PUT points?wait=true') {
      const failure = fake.failure(name!);
      if (failure !== null) throw failure;
    }
    if (what !== 'POST points/scroll') return {};
    compared.push(name!);
    return { points: [], next_page_offset: null };
  }
  const client = { address: 'the test', check: async () => {}, collections: async () => [...collections], ask };
  return { fake, compared, client: client as unknown as QdrantClient };
}

it('compares only the space again whose write failed', async () => {
  const { fake, compared, client } = fakeClient();
  const spaces = [spaceOf('old'), spaceOf('new')];
  const errors: DowserError[] = [];
  const onResult = (error: DowserError | null) => void (error !== null && errors.push(error));
  const sync = new PointSync({ client, settings: INDEX_DEFAULTS, spaces: () => spaces, onResult });
  onTestFinished(() => sync.close());
  sync.start({ id: () => 'store', leads: () => true, onProgress() {} });
  const settled = () => vi.waitUntil(() => spaces.every((space) => sync.isDone(space)), { timeout: 60_000 });
  await settled();
  const [old, wanted] = spaces.map((space) => sync.collectionOf(space)!.name);
  expect(compared).toEqual([old, wanted]);
  const refusal = new DowserError('VECTORS_UNAVAILABLE', 'full');
  fake.failure = (collection) => {
    if (collection !== wanted) return null;
    fake.failure = () => null;
    return refusal;
  };
  for (const { pending } of spaces) pending.add(0, UNIT);
  sync.wake();
  await vi.waitUntil(() => errors.length > 0, { timeout: 60_000 });
  await settled();
  expect(errors).toEqual([refusal]);
  expect(compared).toEqual([old, wanted, wanted]);
});
