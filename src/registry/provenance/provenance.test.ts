import { describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { clock, of, SOURCE } from '../../../test/support/observed-clock.ts';
import { registryOver } from '../../../test/support/registry-over.ts';
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { ObservationInput } from '../contract/observation.ts';
import type { Registry } from '../contract/registry.ts';
import { EXAMPLE_SOURCE } from '../notes/source-note.ts';

describe('observe', () => {
  it('adds, then finds unchanged, then updates', async () => {
    const registry = await memoryRegistry();
    const state = async (entity: Record<string, unknown>) => (await registry.observe(of(entity)))[0]!.state;
    expect(await state(clock())).toBe('added');
    expect(await state(clock())).toBe('unchanged');
    expect(await state(clock({ description: 'Tells the time' }))).toBe('updated');
    expect((await registry.get('mcp_server', '/clock')).entity.description).toBe('Tells the time');
  });

  it.each([
    ['address', { url: 'https://Clock.example/mcp/' }, { mcp_endpoint: 'https://clock.example/mcp' }],
    [
      'command',
      { local_runtime: { type: 'npx', package: 'clock', version: '1.0.0', args: ['-v'] } },
      { local_runtime: { type: 'npx', package: 'clock', args: ['-v'], cwd: '/elsewhere' } },
    ],
    [
      'command',
      { local_runtime: { command: 'node', args: ['./clock.js'], cwd: '/a' } },
      { local_runtime: { command: 'node', args: ['./clock.js'], cwd: '/a' } },
    ],
    ['official name', { official_name: 'io.github.acme/clock' }, { official_name: 'io.github.acme/clock' }],
  ])('notices a server that is added twice, by its %s', async (what, one, other) => {
    const registry = await memoryRegistry();
    await registry.put(clock({ path: '/first', ...one }));
    const [added] = await registry.observe(of(clock(other)));
    expect(added).toMatchObject({
      state: 'added',
      notes: [`/clock has the same ${what} as /first. Delete one of them if they are the same.`],
    });
    expect((await registry.observe(of(clock(other))))[0]).toMatchObject({ state: 'unchanged', notes: [] });
  });

  it('does not take servers with other arguments, folders, types or names for the same', async () => {
    const registry = await memoryRegistry();
    const runs = (args: string[], over = {}) => ({ local_runtime: { type: 'npx', package: 'files', args }, ...over });
    await registry.put(clock({ path: '/a', ...runs(['/a']), url: 'https://clock.example/a' }));
    await registry.put(clock({ path: '/b', local_runtime: { command: 'node', args: ['run.mjs'], cwd: '/b' } }));
    await registry.put({ type: 'a2a_agent', path: '/agent', name: 'Agent', url: 'https://clock.example/c' });
    const given = [
      clock({ path: '/c', ...runs(['/c']), url: 'https://clock.example/c' }),
      clock({ path: '/d', local_runtime: { command: 'node', args: ['run.mjs'], cwd: '/d' } }),
    ];
    const observed = await registry.observe(
      of({}, { entities: given.map((entity, at) => ({ entity, part: String(at) })) }),
    );
    expect(observed.map(({ state, notes }) => [state, notes])).toEqual([
      ['added', []],
      ['added', []],
    ]);
  });

  it('takes the place of examples that are the same, unless they were approved', async () => {
    const registry = await memoryRegistry();
    const example = { source: EXAMPLE_SOURCE };
    const runs = { local_runtime: { type: 'npx', package: 'clock' } };
    const examples = ['/first', '/approved', '/other'].map((path) => ({
      part: path,
      entity: clock({ path, ...(path === '/other' ? {} : runs) }),
    }));
    await registry.observe({ ...example, entities: examples });
    await registry.review('mcp_server', '/approved', { decision: 'approved' });
    const paths = async () => {
      const { records } = await registry.list({ type: 'mcp_server' });
      return records.map(({ entity }) => entity.path).sort();
    };
    const adding = of(clock(runs), { dry_run: true });
    const notes = (done: string) => [
      `${done} the example /first, which is the same.`,
      '/clock has the same command as /approved. Delete one of them if they are the same.',
    ];
    expect((await registry.observe(adding))[0]).toMatchObject({ notes: notes('Would replace') });
    expect(await paths()).toEqual(['/approved', '/first', '/other']);
    expect((await registry.observe(of(clock(runs))))[0]).toMatchObject({ state: 'added', notes: notes('Replaced') });
    expect(await paths()).toEqual(['/approved', '/clock', '/other']);
    // Nor does it come back when the catalog is loaded again.
    expect((await registry.observe({ ...example, entities: examples.slice(0, 1) }))[0]).toMatchObject({
      state: 'kept',
      notes: ['Kept the existing /approved, which is the same.'],
    });
    expect(await paths()).toEqual(['/approved', '/clock', '/other']);
  });

  it('notices two of the same in one source', async () => {
    const registry = await memoryRegistry();
    const given = ['/one', '/two'].map((path) => ({
      part: path,
      entity: clock({ path, url: 'https://clock.example' }),
    }));
    const observed = await registry.observe(of({}, { entities: given }));
    expect(observed.map(({ notes }) => notes)).toEqual([
      [],
      ['/two has the same address as /one. Delete one of them if they are the same.'],
    ]);
  });

  it('keeps what an owner decided', async () => {
    const registry = await memoryRegistry();
    await registry.observe(of(clock()));
    await registry.put(
      clock({ visibility: 'private', owner: 'ada', is_enabled: false, tags: ['mine'], status: 'beta' }),
    );
    await registry.observe(of(clock({ description: 'New words' })));
    expect((await registry.get('mcp_server', '/clock')).entity).toMatchObject({
      description: 'New words',
      visibility: 'private',
      owner: 'ada',
      is_enabled: false,
      tags: ['mine'],
      status: 'beta',
    });
  });

  it('keeps how far an agent is trusted, where its source may not say', async () => {
    const registry = await memoryRegistry();
    const agent = { type: 'a2a_agent', path: '/bank', name: 'Bank' };
    await registry.observe(of(agent));
    await registry.put({ ...agent, trust_level: 'trusted', status: 'beta' });
    await registry.observe(of({ ...agent, description: 'New words' }));
    expect((await registry.get('a2a_agent', '/bank')).entity).toMatchObject({
      description: 'New words',
      trust_level: 'trusted',
      status: 'beta',
    });
  });

  it('leaves alone what came from elsewhere, unless it is told to take over', async () => {
    const registry = await memoryRegistry();
    await registry.put(clock({ description: 'By hand' }));
    expect((await registry.observe(of(clock())))[0]!.state).toBe('kept');
    expect((await registry.get('mcp_server', '/clock')).entity.description).toBe('By hand');
    const [taken] = await registry.observe(of(clock(), { take_over: true }));
    expect([taken!.state, taken!.notes]).toEqual([
      'updated',
      ['Replaced the existing /clock (imported or added by hand).'],
    ]);
    expect(
      (await registry.observe({ ...of(clock()), source: { kind: 'config', locator: { file: '/x' } } }))[0]!.state,
    ).toBe('kept');
  });

  it('lets anyone take the place of an example, and keeps nothing of it', async () => {
    const registry = await memoryRegistry();
    const examples = (over: Record<string, unknown> = {}) =>
      registry.observe({ source: EXAMPLE_SOURCE, entities: [{ part: '/clock', entity: clock(over) }] });
    await examples({ status: 'deprecated', tags: ['old'], tools: [{ name: 'then' }] });
    const dry = await registry.observe(of(clock(), { dry_run: true }));
    expect(dry[0]!.notes).toEqual(['Would replace the existing /clock (from the example catalog).']);
    const [taken] = await registry.observe(of(clock({ tools: [{ name: 'now' }] })));
    expect([taken!.state, taken!.drift, taken!.notes]).toEqual([
      'updated',
      null,
      ['Replaced the existing /clock (from the example catalog).'],
    ]);
    expect((await registry.get('mcp_server', '/clock')).entity).toMatchObject({ status: 'active', tags: [] });
    const [kept] = await examples();
    expect([kept!.state, kept!.notes]).toEqual([
      'kept',
      [expect.stringContaining('Kept the existing /clock (from clock).')],
    ]);
  });

  it('does not compare a source without tools with the example it replaced', async () => {
    const registry = await memoryRegistry();
    await registry.observe({ source: EXAMPLE_SOURCE, entities: [{ entity: clock() }] });
    for (let reading = 0; reading < 2; reading++) {
      const [observed] = await registry.observe(of(clock({ tools: [] })));
      expect(observed?.drift).toBeNull();
    }
    expect(await registry.drift()).toEqual([]);
  });

  it('sees no drift in a new version of an example', async () => {
    const registry = await memoryRegistry();
    const load = (description: string) =>
      registry.observe({
        source: EXAMPLE_SOURCE,
        entities: [{ entity: clock({ tools: [{ name: 'now', description }] }) }],
      });
    await load('One');
    expect((await load('Two'))[0]).toMatchObject({ state: 'updated', drift: null });
    expect(await registry.drift()).toEqual([]);
  });

  it.each([
    ['a put', (registry: Registry) => registry.put(clock({ description: 'Mine' }))],
    ['a change', (registry: Registry) => registry.patch('mcp_server', '/clock', { is_enabled: false })],
  ])('no longer takes for an example what %s has written', async (_, write) => {
    const registry = await memoryRegistry();
    await registry.observe({ source: EXAMPLE_SOURCE, entities: [{ entity: clock() }] });
    await write(registry);
    expect(await registry.sources()).toEqual([]);
    const withdrawn = [{ type: 'mcp_server' as const, path: '/clock' }];
    expect(await registry.observe({ source: EXAMPLE_SOURCE, withdrawn })).toEqual([]);
    expect((await registry.get('mcp_server', '/clock')).entity.path).toBe('/clock');
  });

  it('leaves a server where it was when it calls itself something new', async () => {
    const registry = await memoryRegistry();
    await registry.observe(of(clock()));
    const [renamed] = await registry.observe(of(clock({ path: '/watch', name: 'Watch' })));
    expect([renamed!.path, renamed!.state]).toEqual(['/clock', 'updated']);
    await expect(registry.get('mcp_server', '/watch')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('refuses a bad entity alone, and the second of one path', async () => {
    const registry = await memoryRegistry();
    const results = await registry.observe({
      source: SOURCE,
      entities: [
        { part: 'a', entity: { type: 'gadget' } },
        { part: 'b', entity: clock() },
        { part: 'c', entity: clock({ name: 'Twin' }) },
      ],
    });
    expect(results.map(({ part, state }) => `${part} ${state}`)).toEqual(['a refused', 'b added', 'c refused']);
    expect(results[2]!.code).toBe('DUPLICATE_PATH');
    expect((await registry.get('mcp_server', '/clock')).entity.name).toBe('Clock');
  });

  it('stores nothing in a rehearsal, but says what would happen', async () => {
    const registry = await memoryRegistry();
    expect((await registry.observe(of(clock(), { dry_run: true })))[0]!.state).toBe('added');
    await expect(registry.get('mcp_server', '/clock')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await registry.observe(of(clock()));
    expect((await registry.observe(of(clock({ tools: [] }), { dry_run: true })))[0]!.drift?.removed).toEqual(['now']);
    expect(await registry.drift()).toEqual([]);
  });

  it('deletes what its own source took back, and nothing else', async () => {
    const registry = await memoryRegistry();
    await registry.observe(of(clock()));
    await registry.put(clock({ path: '/other' }));
    const withdrawn = ['/clock', '/other', '/never'].map((path) => ({ type: 'mcp_server' as const, path }));
    const results = await registry.observe({ source: SOURCE, withdrawn });
    expect(results.map(({ path, state }) => `${path} ${state}`)).toEqual(['/clock deleted']);
    expect((await registry.get('mcp_server', '/other')).entity.path).toBe('/other');
    expect(await registry.sources()).toEqual([]);
  });

  it('keeps what its source lists and takes back at once', async () => {
    const registry = await memoryRegistry();
    await registry.observe(of(clock()));
    const withdrawn = [{ type: 'mcp_server' as const, path: '/clock' }];
    for (const [description, state] of [
      ['New words', 'updated'],
      ['New words', 'unchanged'],
    ]) {
      const results = await registry.observe({ ...of(clock({ description })), withdrawn });
      expect(results.map((result) => result.state)).toEqual([state]);
    }
    expect((await registry.get('mcp_server', '/clock')).entity.description).toBe('New words');
  });

  it('loses neither what an owner writes nor what is deleted meanwhile', async () => {
    const registry = await memoryRegistry();
    await registry.observe(of(clock()));
    await Promise.all([
      registry.observe(of(clock({ description: 'New words' }))),
      registry.put(clock({ owner: 'ada', visibility: 'private' })),
    ]);
    expect((await registry.get('mcp_server', '/clock')).entity).toMatchObject({ owner: 'ada', visibility: 'private' });
    await registry.observe(of(clock()));
    const [observed] = await Promise.all([registry.observe(of(clock())), registry.delete('mcp_server', '/clock')]);
    expect(observed.map(({ state }) => state)).toEqual(['unchanged']);
    await expect(registry.get('mcp_server', '/clock')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('accepts before or after a reading, never in the middle of one', async () => {
    const registry = await memoryRegistry();
    const said = (description: string) => of(clock({ tools: [{ name: 'now', description }] }));
    for (const text of ['one', 'two']) await registry.observe(said(text));
    await Promise.all([registry.observe(said('three')), registry.acceptDrift('mcp_server', '/clock')]);
    expect(await registry.drift()).toEqual([]);
    expect((await registry.observe(said('three')))[0]!.drift).toBeNull();
  });

  it('knows its own again, though the process ended as soon as the entity was stored', async () => {
    const engine = new MemoryEngine({ embedder: null });
    engine.store.annotate = () => Promise.reject(new DowserError('ENGINE_UNAVAILABLE', 'The process ended.'));
    const registry = registryOver(engine);
    await registry.observe(of(clock())).catch(() => {});
    expect((await registry.observe(of(clock({ description: 'New words' }))))[0]!.state).toBe('updated');
    expect(await registry.sources()).toMatchObject([{ kind: 'mcp', entities: [{ path: '/clock' }] }]);
  });

  it('remembers when a source was last read completely, and when last in full', async () => {
    const registry = await memoryRegistry();
    const at = (day: number) => `2026-03-0${day}T00:00:00.000Z`;
    const observe = (started_at: string, full: boolean, over: Partial<ObservationInput> = {}) =>
      registry.observe({ source: SOURCE, reading: { started_at, full }, ...over });
    const reading = async () => (await registry.sources())[0]!.reading;
    const entities = ['a', 'b'].map((part) => ({ part, entity: clock({ path: `/${part}` }) }));
    await registry.observe({ source: SOURCE, entities });
    expect(await reading()).toBeNull();
    await observe(at(1), true);
    expect(await reading()).toEqual({ started_at: at(1), full_at: at(1), partial: 0 });
    await observe(at(2), false);
    await observe(at(3), false);
    expect(await reading()).toEqual({ started_at: at(3), full_at: at(1), partial: 2 });
    await observe(at(4), false, { dry_run: true });
    expect((await reading())!.started_at).toBe(at(3));
    // What it was noted with is gone: nothing is known, so that the next reading is a full one.
    await observe(at(4), false, { withdrawn: [{ type: 'mcp_server', path: '/a' }] });
    expect(await reading()).toBeNull();
    await observe(at(5), true);
    const rival = { kind: 'mcp', locator: { command: 'rival' } };
    await registry.observe({ source: rival, take_over: true, entities: [entities[1]!] });
    expect(await registry.sources()).toMatchObject([{ ...rival, reading: null }]);
  });

  it('lists sources with the latest change they told of', async () => {
    const registry = await memoryRegistry();
    const entry = (name: string, updated_at: string) => ({
      part: name,
      entity: clock({ path: `/${name}` }),
      updated_at,
    });
    await registry.observe({
      source: SOURCE,
      entities: [entry('b', '2026-02-01T00:00:00Z'), entry('a', '2026-01-01T00:00:00Z')],
    });
    const [source] = await registry.sources();
    expect([source!.updated_at, source!.entities.map(({ path }) => path)]).toEqual([
      '2026-02-01T00:00:00Z',
      ['/a', '/b'],
    ]);
  });

  it.each([
    [{ source: { kind: '', locator: {} } }, 'source.kind'],
    [{ source: { kind: 'mcp', locator: { x: 'y'.repeat(40_000) } } }, 'source.locator'],
    [{ source: SOURCE, reading: { started_at: 'yesterday' } }, 'reading.started_at'],
    [{ source: SOURCE, missing: [{ type: 'gadget', path: '/x', error: '' }] }, 'missing.0.type'],
  ])('names the field of an observation that is wrong (%#)', async (observation, field) => {
    const registry = await memoryRegistry();
    await expect(registry.observe(observation as ObservationInput)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      field,
    });
  });
});
