import { describe, expect, it } from 'vitest';
import type { EntityId } from '../model/entity.ts';
import { ChangeLog } from './change-log.ts';

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

  it('drops the oldest ids, and returns null to a reader that needs them', () => {
    const log = new ChangeLog(3);
    log.record(ids('a', 'b', 'c', 'd', 'e', 'f', 'g'));
    expect(log.since(3).ids).toBeNull();
    expect(log.since(4).ids).toEqual(['e', 'f', 'g']);
    expect(log.since(4).revision).toBe(7);
  });
});
