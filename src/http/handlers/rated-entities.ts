import type { OperationInput } from '../../api/contract.ts';
import { toEtag } from '../../api/wire/if-match.ts';
import type { EntityOf, EntityType } from '../../model/entity.ts';
import { withoutNulls } from '../../model/json/json-object.ts';
import { type Projection, parseProjection } from '../../model/parse/projection.ts';
import type { Fields, ListQuery } from '../../registry/contract/entity-operations.ts';
import type { PutResult, RatedRecord, ScopedRegistry } from '../../registry/contract/registry.ts';
import { assetHealth } from '../../standards/gateway/asset-health.ts';
import type { AssetFacts } from '../../standards/gateway/asset-record.ts';
import { toGatewayDuplicates } from '../../standards/gateway/duplicate-report.ts';
import { rememberRecords } from '../body/remembered-records.ts';
import { registeredMessage, type WireFields } from './wire-record.ts';

/** The record of an entity as clients of the MCP gateway registry read it. `projection`: only some of its metadata. */
type ToRecord<R> = (rated: RatedRecord, projection: Projection | null) => R;

interface ListOptions<R> {
  /** Comma list of metadata paths to return. Default: all metadata. */
  readonly metadata_fields?: string | undefined;
  readonly toRecord: ToRecord<R>;
}

/** Remembers whole records, for all callers. Make one for each kind of record. */
export function recordsOf<T extends EntityType, R extends object>(
  make: (entity: EntityOf<T>, facts: AssetFacts, projection: Projection | null) => R,
): ToRecord<R> {
  const whole = rememberRecords((rated: RatedRecord) => make(rated.entity as EntityOf<T>, rated, null));
  return (rated, projection) =>
    projection === null ? whole(rated) : make(rated.entity as EntityOf<T>, rated, projection);
}

/** The HTTP operations that all registry types share: read, list, register, change, enable, delete, rate, find duplicates. */
export function ratedEntities<T extends EntityType, R extends object>(
  registry: ScopedRegistry,
  type: T,
  toRecord: ToRecord<R>,
) {
  async function read(path: string) {
    const { record: rated, etag } = await registry.rated(type, path);
    return { entity: rated.entity as EntityOf<T>, rated, headers: { ETag: toEtag(etag) } };
  }
  async function recordAt(path: string) {
    return toRecord((await read(path)).rated, null);
  }
  /** The record after a write, with its warnings and its ETag. */
  async function written(path: string, warnings: readonly string[]) {
    const { rated, headers } = await read(path);
    const record = toRecord(rated, null);
    return { record: warnings.length === 0 ? record : { ...record, warnings }, headers };
  }
  /** The answer to a change: the new record, with the warnings about the request and those of the registry. */
  async function changed(result: PutResult, warnings: readonly string[]) {
    const { record, headers } = await written(result.path, [...warnings, ...result.warnings]);
    return { status: 200 as const, body: record, headers };
  }
  return {
    read,
    recordAt,
    changed,
    async get({ params, query }: { params: { path: string }; query: { metadata_fields?: string | undefined } }) {
      const projection = parseProjection(query.metadata_fields ?? null);
      const { rated, headers } = await read(params.path);
      return { status: 200 as const, body: toRecord(rated, projection), headers };
    },
    async register(name: string, path: string, { fields, warnings }: WireFields, overwrite: boolean) {
      const result = await registry.register({ ...withoutNulls(fields), type, path }, { overwrite });
      const { record, headers } = await written(result.path, [...warnings, ...result.warnings]);
      return { status: 201 as const, body: { ...record, message: registeredMessage(name, result) }, headers };
    },
    /** `kept` has the fields that stay as they are, unless they were sent. */
    async replace(path: string, { fields, warnings }: WireFields, kept: (entity: EntityOf<T>) => Fields = () => ({})) {
      const make = (entity: EntityOf<T>) => ({ ...kept(entity), ...fields });
      return changed(await registry.change(type, path, make), warnings);
    },
    async patch(path: string, { fields, warnings }: WireFields) {
      return changed(await registry.patch(type, path, fields), warnings);
    },
    async list<L>(query: Omit<ListQuery, 'type'>, { metadata_fields, toRecord: as }: ListOptions<L>) {
      const projection = parseProjection(metadata_fields ?? null);
      const { records, ...page } = await registry.list({ ...query, type });
      return { records: records.map((rated) => as(rated, projection)), page };
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
    async health(path: string) {
      const { entity, rated } = await read(path);
      return { status: 200 as const, body: assetHealth(entity.path, rated) };
    },
    async rating(path: string) {
      return { status: 200 as const, body: await registry.rating(type, path) };
    },
    async duplicates({ proxy_pass_url, skill_md_url, ...asked }: OperationInput<'checkServerDuplicates'>['body']) {
      const url = asked.url ?? proxy_pass_url ?? skill_md_url;
      return {
        status: 200 as const,
        body: toGatewayDuplicates(await registry.findDuplicates({ ...asked, url, type })),
      };
    },
  };
}
