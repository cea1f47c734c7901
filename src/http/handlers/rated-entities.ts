import type { OperationInput } from '../../api/contract.ts';
import type { EntityOf, EntityType } from '../../model/entity.ts';
import { type Projection, parseProjection } from '../../model/projection.ts';
import type { ListQuery, RatedRecord } from '../../registry/operations/entity-operations.ts';
import type { Registry } from '../../registry/registry.ts';

interface ListOptions<R> {
  /** Comma list of metadata paths to return. Default: all metadata. */
  readonly metadata_fields?: string | undefined;
  readonly toRecord?: (record: RatedRecord, projection: Projection | null) => R;
}

/** The HTTP operations that all registry types share: read, list, enable, delete, rate, find duplicates. */
export function ratedEntities<T extends EntityType, R extends object>(
  registry: Registry,
  type: T,
  toRecord: (record: RatedRecord, projection: Projection | null) => R,
) {
  async function read(path: string): Promise<{ readonly entity: EntityOf<T>; readonly record: RatedRecord }> {
    const record = await registry.get(type, path);
    const { num_stars } = await registry.rating(type, path);
    return { entity: record.entity as EntityOf<T>, record: { ...record, num_stars } };
  }
  /** The record as clients read it, with the warnings of a write. */
  async function recordAt(path: string, warnings: readonly string[] = []) {
    const record = toRecord((await read(path)).record, null);
    return warnings.length === 0 ? record : { ...record, warnings };
  }
  return {
    read,
    recordAt,
    async get(path: string, warnings: readonly string[] = []) {
      return { status: 200 as const, body: await recordAt(path, warnings) };
    },
    async list(query: Omit<ListQuery, 'type'>, options: ListOptions<R>) {
      const { metadata_fields, toRecord: as = toRecord } = options;
      const projection = parseProjection(metadata_fields ?? null);
      const { records, ...page } = await registry.list({ ...query, type });
      return { records: records.map((record) => as(record, projection)), page };
    },
    async toggle(path: string, enabled: boolean) {
      const changed = await registry.patch(type, path, { is_enabled: enabled });
      const message = `${changed.path} is ${enabled ? 'enabled' : 'disabled'}.`;
      return { status: 200 as const, body: { message, path: changed.path, is_enabled: enabled } };
    },
    async remove(path: string) {
      await registry.delete(type, path);
      return { status: 204 as const, body: undefined };
    },
    async rate(path: string, vote: OperationInput<'rateServer'>['body']) {
      const { num_stars } = await registry.rate(type, path, vote);
      return { status: 200 as const, body: { message: 'Rating saved.', average_rating: num_stars } };
    },
    async rating(path: string) {
      return { status: 200 as const, body: await registry.rating(type, path) };
    },
    async duplicates(asked: OperationInput<'checkServerDuplicates'>['body']) {
      return { status: 200 as const, body: await registry.findDuplicates({ ...asked, type }) };
    },
  };
}
