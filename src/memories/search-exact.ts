import type { ViewRow } from '../registry/operations/entity-view.ts';
import type { EntityRecord, ScopedRegistry } from '../registry/registry.ts';
import type { MemoryEntity } from './to-memory.ts';

/** Read at a time, so that other requests are answered in between. */
const BATCH = 200;

/** The first memories that contain a text as it stands, without case; every memory contains ''. */
export async function searchExact(
  registry: ScopedRegistry,
  rows: readonly ViewRow[],
  text: string,
  limit: number,
): Promise<readonly EntityRecord[]> {
  const wanted = text.toLowerCase();
  const found: EntityRecord[] = [];
  for (let at = 0; at < rows.length && found.length < limit; at += BATCH) {
    const paths = rows.slice(at, at + (wanted === '' ? limit - found.length : BATCH)).map(({ path }) => path);
    for (const record of await registry.getMany('memory', paths)) {
      const { content } = record.entity as MemoryEntity;
      if (found.length < limit && content.toLowerCase().includes(wanted)) found.push(record);
    }
  }
  return found;
}
