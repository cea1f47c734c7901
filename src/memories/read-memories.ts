import type { EntityRecord, ScopedRegistry } from '../registry/registry.ts';

const BATCH = 500;

/** Every memory that is kept, in order of path. */
export async function* findMemoryPages(registry: ScopedRegistry): AsyncGenerator<EntityRecord> {
  const rows = await registry.rows('memory');
  const paths = rows.filter(({ is_enabled }) => is_enabled).map(({ path }) => path);
  paths.sort();
  for (let at = 0; at < paths.length; at += BATCH) yield* await registry.getMany('memory', paths.slice(at, at + BATCH));
}
