import type { OperationInput } from '../../api/contract.ts';
import type { EntityOf, EntityType } from '../../model/entity.ts';
import { withoutNulls } from '../../model/json-object.ts';
import { type Projection, parseProjection } from '../../model/projection.ts';
import type { Fields, ListQuery, RatedRecord } from '../../registry/operations/entity-operations.ts';
import type { PutResult, ScopedRegistry } from '../../registry/registry.ts';
import { registeredMessage, type WireFields } from './wire-record.ts';

interface ListOptions<R> {
  /** Comma list of metadata paths to return. Default: all metadata. */
  readonly metadata_fields?: string | undefined;
  readonly toRecord?: (record: RatedRecord, projection: Projection | null) => R;
}

/** The HTTP operations that all registry types share: read, list, register, change, enable, delete, rate, find duplicates. */
export function ratedEntities<T extends EntityType, R extends object>(
  registry: ScopedRegistry,
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
  /** The answer to a change: the new record, with the warnings about the request and those of the registry. */
  async function changed(result: PutResult, warnings: readonly string[]) {
    return { status: 200 as const, body: await recordAt(result.path, [...warnings, ...result.warnings]) };
  }
  return {
    read,
    recordAt,
    changed,
    async get(path: string) {
      return { status: 200 as const, body: await recordAt(path) };
    },
    async register(name: string, path: string, { fields, warnings }: WireFields, overwrite: boolean) {
      const result = await registry.register({ ...withoutNulls(fields), type, path }, { overwrite });
      const record = await recordAt(result.path, [...warnings, ...result.warnings]);
      return { status: 201 as const, body: { ...record, message: registeredMessage(name, result) } };
    },
    /** `kept` has the fields that stay as they are, unless they were sent. */
    async replace(path: string, { fields, warnings }: WireFields, kept: (entity: EntityOf<T>) => Fields = () => ({})) {
      return changed(await registry.change(type, path, (entity) => ({ ...kept(entity), ...fields })), warnings);
    },
    async patch(path: string, { fields, warnings }: WireFields) {
      return changed(await registry.patch(type, path, fields), warnings);
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
