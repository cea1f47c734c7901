import { expect, it } from 'vitest';
import { countedEngine } from '../../../test/support/counted-engine.ts';
import { indexed, server } from '../../../test/support/engine-fixtures.ts';
import { registryOver } from '../../../test/support/registry-over.ts';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import { ENTITY_TYPES, entityId, splitEntityId } from '../../model/entity.ts';
import type { ViewRow } from '../contract/registry.ts';
import { byName } from './entity-view.ts';

const lexical = (path: string) => indexed(server(path, 'lamps'), { vectors: false });

it('is read when a server opens the store, not by the first list or question to the graph', async () => {
  const { engine, calls } = countedEngine(new MemoryEngine({ embedder: null }));
  await engine.store.put([lexical('/a'), lexical('/b')]);
  const registry = registryOver(engine, null, { background: true });
  // Each type for lists, then everything for the graph.
  await expect.poll(() => calls.get('store.scan')).toBe(ENTITY_TYPES.length + 1);
  calls.clear();
  const { records } = await registry.list({ type: 'mcp_server' });
  expect(records).toHaveLength(2);
  expect((await registry.relations('mcp_server', '/a')).relations).toEqual([]);
  expect(calls.get('store.scan')).toBeUndefined();
  await registry.close();
});

it('orders rows by name, then by id, and a row is equal to itself', () => {
  const row = (name: string, path: string) => ({ name, id: entityId('mcp_server', path) }) as ViewRow;
  const rows = [row('lamp', '/b'), row('gate', '/c'), row('lamp', '/a')];
  expect(rows.toSorted(byName).map(({ id }) => splitEntityId(id).path)).toEqual(['/c', '/a', '/b']);
  expect(byName(rows[0]!, rows[0]!)).toBe(0);
});
