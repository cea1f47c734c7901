import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { clock, of, SOURCE } from '../../../test/support/observed-clock.ts';
import type { ObservationInput } from '../contract/observation.ts';

describe('drift', () => {
  it('reports drift once, keeps it until it is accepted, and forgets it when all is as it was', async () => {
    const registry = await memoryRegistry();
    await registry.observe(of(clock()));
    const sly = clock({ tools: [{ name: 'now', description: 'The time', annotations: { readOnlyHint: false } }] });
    const [first] = await registry.observe(of(sly));
    expect(first!.drift?.changed[0]?.changes).toEqual([
      { at: 'annotations.readOnlyHint', before: 'true', after: 'false' },
    ]);
    expect((await registry.observe(of(sly)))[0]!.drift).toBeNull();
    expect(await registry.drift()).toMatchObject([{ path: '/clock', drift: { changed: [{ name: 'now' }] } }]);

    await registry.observe(of(clock()));
    expect(await registry.drift()).toEqual([]);

    await registry.observe(of(sly));
    await registry.acceptDrift('mcp_server', 'clock');
    expect(await registry.drift()).toEqual([]);
    await expect(registry.acceptDrift('mcp_server', '/clock')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await registry.observe(of(clock())))[0]!.drift).not.toBeNull();
  });

  it('compares what comes after an acceptance with what was accepted, not with what comes', async () => {
    const registry = await memoryRegistry();
    const said = (description: string) => of(clock({ tools: [{ name: 'now', description }] }));
    for (const text of ['one', 'two']) await registry.observe(said(text));
    await registry.acceptDrift('mcp_server', '/clock');
    expect((await registry.observe(said('three')))[0]!.drift?.changed[0]?.changes).toMatchObject([
      { before: 'two', after: 'three' },
    ]);
  });

  it('keeps drift when the entity is written by others', async () => {
    const registry = await memoryRegistry();
    await registry.observe(of(clock()));
    await registry.observe(of(clock({ tools: [] })));
    await registry.put(clock({ tags: ['time'] }));
    expect(await registry.drift()).toMatchObject([{ drift: { removed: ['now'] } }]);
  });
});

describe('liveness', () => {
  it('marks what does not answer as dead, since when, and as alive when it does again', async () => {
    const registry = await memoryRegistry();
    const liveness = async () => (await registry.sources())[0]!.entities[0]!.liveness;
    await registry.observe(of(clock()));
    expect(await liveness()).toMatchObject({ state: 'alive' });
    const dead: ObservationInput = {
      source: SOURCE,
      missing: [{ type: 'mcp_server', path: '/clock', error: 'No answer.' }],
    };
    await registry.observe(dead);
    const first = await liveness();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await registry.observe(dead);
    const second = await liveness();
    expect(second).toMatchObject({ state: 'dead', error: 'No answer.', since: first!.since });
    expect(second!.checked_at > first!.checked_at).toBe(true);
    await registry.observe(of(clock()));
    expect(await liveness()).toMatchObject({ state: 'alive' });
    expect(await liveness()).not.toHaveProperty('error');
  });

  it('does not let one source declare dead what another gave', async () => {
    const registry = await memoryRegistry();
    await registry.observe(of(clock()));
    const missing = [{ type: 'mcp_server' as const, path: '/clock', error: 'Gone.' }];
    const [result] = await registry.observe({ source: { kind: 'mcp', locator: { command: 'rival' } }, missing });
    expect(result!.state).toBe('kept');
    expect((await registry.sources())[0]!.entities[0]!.liveness).toMatchObject({ state: 'alive' });
  });

  it('says nothing of the life of things that were only listed', async () => {
    const registry = await memoryRegistry();
    await registry.observe(of(clock(), { live: false }));
    expect((await registry.sources())[0]!.entities[0]!.liveness).toBeNull();
  });
});
