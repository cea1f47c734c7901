import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import { entityId } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import type { KnownSource } from '../../registry/contract/observation.ts';
import type { Registry } from '../../registry/contract/registry.ts';
import type { Source, SourceItem } from '../../sources/source.ts';
import { TrustedSources, trustSource } from '../../sources/trusted-sources.ts';
import { readSource } from './read-source.ts';

const thing = (part: string, over: object = {}): SourceItem => ({
  part,
  entity: { type: 'mcp_server', path: `/${part}`, name: part, tools: [{ name: 'x' }], ...over },
  warnings: [],
});
const broken = new DowserError('SOURCE_UNREACHABLE', 'Broken.', { hint: 'Mend it.' });

/** A source that gives these items, and then fails if it is told to. */
function sourceOf(items: readonly SourceItem[], over: Partial<Source> & { fails?: boolean } = {}): Source {
  return {
    kind: 'config',
    locator: { file: '/x' },
    title: '/x',
    live: true,
    directory: false,
    async *read() {
      yield* items;
      if (over.fails === true) throw broken;
    },
    ...over,
  };
}
// biome-ignore lint/correctness/useYield: it fails before it gives anything.
async function* failing(error: DowserError): AsyncGenerator<SourceItem> {
  throw error;
}
const read = (registry: Registry, source: Source, known?: KnownSource, incremental = false) =>
  readSource(source, {
    observe: (observation) => registry.observe(observation),
    known,
    incremental,
    takeOver: true,
    dryRun: false,
    signal: new AbortController().signal,
  });
const states = ({ results }: Awaited<ReturnType<typeof readSource>>) =>
  results.map(({ path, state }) => `${path} ${state}`);

afterEach(() => {
  vi.useRealTimers();
});

describe('readSource', () => {
  it('reports the hints of a source, and none for those who use the library', async () => {
    const refused = new DowserError('INVALID_REQUEST', 'No.');
    const { problems } = await read(await memoryRegistry(), sourceOf([{ part: 'a', problem: refused }]));
    expect(problems).toEqual([{ part: 'a', code: 'INVALID_REQUEST', message: 'No.' }]);
  });

  it('stores what is good and reports the rest', async () => {
    const registry = await memoryRegistry();
    const report = await read(
      registry,
      sourceOf([
        thing('a'),
        { part: 'b', problem: broken },
        { part: 'c', skipped: 'disabled' },
        thing('d', { name: '' }),
      ]),
    );
    expect(states(report)).toEqual(['/a added', '/d refused']);
    expect(report).toMatchObject({
      state: 'added',
      problems: [{ part: 'b', code: 'SOURCE_UNREACHABLE', message: 'Broken.', hint: 'Mend it.' }, { part: 'd' }],
      skipped: [{ part: 'c', reason: 'disabled' }],
    });
  });

  it('marks as dead what fails, what is gone, and everything when the whole source fails', async () => {
    const registry = await memoryRegistry();
    await read(registry, sourceOf([thing('a'), thing('b'), thing('c')]));
    const known = (await registry.sources())[0]!;
    expect(states(await read(registry, sourceOf([thing('a'), { part: 'b', problem: broken }]), known))).toEqual([
      '/a unchanged',
      '/b dead',
      '/c dead',
    ]);
    const whole = await read(registry, sourceOf([], { fails: true }), known);
    expect([whole.state, states(whole)]).toEqual(['dead', ['/a dead', '/b dead', '/c dead']]);
  });

  it('does not take a key that is missing here for the end of what it is for', async () => {
    const registry = await memoryRegistry();
    await read(registry, sourceOf([thing('a'), thing('b')]));
    const known = (await registry.sources())[0]!;
    const unset = new DowserError('INVALID_SETTING', 'KEY is not set.');
    const refused = new DowserError('FORBIDDEN', 'It wants a key.');
    const parts = [
      { part: 'a', problem: unset },
      { part: 'b', problem: refused },
    ];
    const report = await read(registry, sourceOf(parts), known);
    expect([report.state, states(report)]).toEqual(['failed', []]);
    const whole = { ...sourceOf([]), read: () => failing(unset) };
    expect(states(await read(registry, whole, known))).toEqual([]);
  });

  it('leaves what is switched off as it is', async () => {
    const registry = await memoryRegistry();
    await read(registry, sourceOf([thing('a')]));
    const known = (await registry.sources())[0]!;
    expect(states(await read(registry, sourceOf([{ part: 'a', skipped: 'disabled' }]), known))).toEqual([]);
  });

  it('does not take a directory that fails, or that tells only what changed, for the end of its entries', async () => {
    const registry = await memoryRegistry();
    await read(registry, sourceOf([thing('a')], { directory: true }));
    const known = (await registry.sources())[0]!;
    const failed = await read(registry, sourceOf([], { directory: true, fails: true }), known);
    expect([failed.state, states(failed)]).toEqual(['failed', []]);
    expect(states(await read(registry, sourceOf([], { directory: true }), known, true))).toEqual([]);
    expect(states(await read(registry, sourceOf([], { directory: true }), known))).toEqual(['/a dead']);
  });

  it('keeps what came before a failure', async () => {
    const registry = await memoryRegistry();
    const report = await read(registry, sourceOf([thing('a')], { fails: true }));
    expect([report.state, states(report)]).toEqual(['failed', ['/a added']]);
  });

  it('deletes what was taken back', async () => {
    const registry = await memoryRegistry();
    await read(registry, sourceOf([thing('a')]));
    const known = (await registry.sources())[0]!;
    const report = await read(registry, sourceOf([{ part: 'a', withdrawn: entityId('mcp_server', '/a') }]), known);
    expect([report.state, states(report)]).toEqual(['updated', ['/a deleted']]);
  });

  it('notes that a registry was read to its end, and nothing when it was not', async () => {
    const registry = await memoryRegistry();
    const traits = { kind: 'registry', directory: true, live: false } as const;
    const reading = async () => (await registry.sources())[0]!.reading;
    await read(registry, sourceOf([thing('a')], { ...traits, fails: true }));
    expect(await reading()).toBeNull();
    const start = '2026-01-01T12:00:00.000Z';
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(start) });
    const slow = sourceOf([], {
      ...traits,
      async *read() {
        yield thing('a');
        vi.setSystemTime('2026-01-01T12:05:00.000Z');
      },
    });
    await read(registry, slow);
    const full = (await reading())!;
    // The start counts: what changes during a reading is asked for again.
    expect(full.started_at).toBe(start);
    const known = (await registry.sources())[0]!;
    await read(registry, sourceOf([thing('a')], { ...traits, fails: true }), known, true);
    expect(await reading()).toEqual(full);
    await read(registry, sourceOf([], traits), known, true);
    expect(await reading()).toMatchObject({ full_at: full.full_at, partial: 1 });
  });

  it('ends the reading when the registry fails, so that nothing it opened stays open', async () => {
    const registry = await memoryRegistry();
    let ended = false;
    const items = Array.from({ length: 600 }, (_, i) => thing(`s${i}`));
    const source = sourceOf([], {
      async *read() {
        try {
          yield* items;
        } finally {
          ended = true;
        }
      },
    });
    const full = {
      ...registry,
      observe: () => Promise.reject(new DowserError('ENGINE_UNAVAILABLE', 'The disk is full.')),
    };
    await expect(read(full, source)).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
    expect(ended).toBe(true);
  });

  it('sends large sources in parts', async () => {
    const registry = await memoryRegistry();
    const sizes: number[] = [];
    const items = Array.from({ length: 1050 }, (_, i) => thing(`s${i}`));
    const report = await readSource(sourceOf(items), {
      observe: (observation) => {
        sizes.push(observation.entities?.length ?? 0);
        return registry.observe(observation);
      },
      known: undefined,
      takeOver: true,
      dryRun: false,
      signal: new AbortController().signal,
    });
    expect([sizes, report.results.length]).toEqual([[500, 500, 50], 1050]);
  });
});

describe('trusted sources', () => {
  it('are remembered by digest, once each, for their owner alone', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'dowser-trust-'));
    try {
      const folder = join(dir, 'data');
      expect(new TrustedSources(folder).has('a')).toBe(false);
      for (const key of ['a', 'b', 'a']) await trustSource(folder, key);
      const trusted = new TrustedSources(folder);
      expect([trusted.has('a'), trusted.has('b'), trusted.has('c'), trusted.has('')]).toEqual([
        true,
        true,
        false,
        false,
      ]);
      expect((await readFile(join(folder, 'sources.txt'), 'utf8')).match(/^[0-9a-f]{64}$/gm)).toHaveLength(2);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
