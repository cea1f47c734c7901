import { describe, expect, it } from 'vitest';
import { MemoryEngine } from '../engines/memory.ts';
import { type EntityId, parseEntity } from '../model/entity.ts';
import { ChangeLog, recordWrites } from './change-log.ts';
import { toIndexed } from './publish.ts';

const ids = (...names: string[]) => names as EntityId[];

describe('ChangeLog', () => {
  it('tells each reader what came after the revision it knows', () => {
    const log = new ChangeLog();
    const { revision } = log.since(null);
    log.record(ids('a', 'b'));
    const later = log.since(revision);
    expect(later.ids).toEqual(['a', 'b']);
    log.record(ids('c'));
    expect(log.since(later.revision).ids).toEqual(['c']);
    expect(log.since(log.since(null).revision).ids).toEqual([]);
  });

  it('tells a reader who knows nothing, or comes from another process, to read everything', () => {
    const log = new ChangeLog();
    expect(log.since(null).ids).toBeNull();
    expect(log.since(7).ids).toBeNull();
  });

  it('forgets the oldest, and says so to whoever would need them', () => {
    const log = new ChangeLog(3);
    log.record(ids('a', 'b', 'c', 'd', 'e', 'f', 'g'));
    expect(log.since(3).ids).toBeNull();
    expect(log.since(4).ids).toEqual(['e', 'f', 'g']);
    expect(log.since(4).revision).toBe(7);
  });
});

describe('recordWrites', () => {
  const indexed = (path: string) => toIndexed(parseEntity({ type: 'skill', path, name: path }).entity);

  it('notes puts and deletions, and leaves the engine as it is', async () => {
    const log = new ChangeLog();
    const engine = recordWrites(new MemoryEngine({ embedder: null }), log);
    await engine.put([indexed('a'), indexed('b')]);
    expect(await engine.delete(ids('skill:a'))).toBe(1);
    expect(log.since(0).ids).toEqual(['skill:a', 'skill:b', 'skill:a']);
    expect([engine.name, (await engine.stats()).entities]).toEqual(['memory', 1]);
    await engine.close();
  });

  it('notes a write that failed: it may have happened', async () => {
    const log = new ChangeLog();
    const engine = recordWrites(new MemoryEngine({ embedder: null }), log);
    await expect(engine.put([indexed('a'), indexed('a')])).rejects.toMatchObject({ code: 'DUPLICATE_PATH' });
    expect(log.since(0).ids).toContain('skill:a');
  });
});
