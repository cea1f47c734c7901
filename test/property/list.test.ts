import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { registryOver } from '../support/registry-over.ts';

const path = fc.constantFrom('/a', '/b', '/c', '/d');
const type = fc.constantFrom('mcp_server' as const, 'skill' as const);
const word = fc.constantFrom('Mail', 'mail', 'ÄRGER', 'clock', 'AWS');
const step = fc.oneof(
  fc.record({ do: fc.constant('put' as const), type, path, name: word, tags: fc.array(word, { maxLength: 2 }) }),
  fc.record({ do: fc.constant('toggle' as const), type, path, on: fc.boolean() }),
  fc.record({ do: fc.constant('delete' as const), type, path }),
  fc.record({ do: fc.constant('list' as const), type, query: fc.oneof(word, fc.constant('')), on: fc.boolean() }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The same list without any view: read everything, look at each. */
async function referenceList(registry: LocalRegistry, { type, query, on }: Extract<Step, { do: 'list' }>) {
  const found: { readonly path: string; readonly name: string }[] = [];
  for await (const { entity } of registry.all([type])) {
    const text = [entity.name, entity.description, ...entity.tags].join(' ').toLowerCase();
    if (text.includes(query.toLowerCase()) && entity.is_enabled === on) {
      found.push({ path: entity.path, name: entity.name.toLowerCase() });
    }
  }
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return found.sort((a, b) => order(a.name, b.name) || order(a.path, b.path)).map((one) => one.path);
}

async function run(registry: LocalRegistry, taken: Step): Promise<void> {
  if (taken.do === 'list') {
    const { type, query, on } = taken;
    const { records, total_count } = await registry.list({ type, query, enabled: on });
    expect(records.map(({ entity }) => entity.path)).toEqual(await referenceList(registry, taken));
    expect(total_count).toBe(records.length);
  } else if (taken.do === 'put') {
    const { do: _, ...entity } = taken;
    await registry.put(entity);
  } else {
    const { type, path } = taken;
    const done =
      taken.do === 'delete' ? registry.delete(type, path) : registry.patch(type, path, { is_enabled: taken.on });
    await done.catch((error: unknown) => expect(error).toMatchObject({ code: 'NOT_FOUND' }));
  }
}

describe('a list', () => {
  it('is what reading everything would give, whatever was written before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const registry = registryOver(new MemoryEngine({ embedder: null }));
        for (const taken of steps) await run(registry, taken);
        await registry.close();
      }),
      { numRuns: 60 },
    );
  });

  it('notices what another process added to an engine or took from it', async () => {
    const engine = new MemoryEngine({ embedder: null });
    const [one, other] = [registryOver(engine), registryOver(engine)];
    const count = async () => (await one.list({ type: 'skill' })).total_count;
    expect(await count()).toBe(0);
    await other.put({ type: 'skill', path: '/a', name: 'a' });
    expect(await count()).toBe(1);
    await other.delete('skill', '/a');
    expect(await count()).toBe(0);
    await one.close();
  });
});
