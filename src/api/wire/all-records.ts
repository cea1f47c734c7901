import type { EntityType } from '../../model/entity.ts';
import type { EntityRecord, Registry } from '../../registry/contract/registry.ts';

const PAGE = 500;

/** `Registry.all` over pages. */
export async function* allRecords(
  { page }: Pick<Registry, 'page'>,
  types?: readonly EntityType[],
): AsyncGenerator<EntityRecord> {
  let after: string | undefined;
  do {
    const { entities, cursor } = await page({ types, after, limit: PAGE });
    yield* entities;
    after = cursor;
  } while (after !== undefined);
}
