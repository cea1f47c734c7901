import type { OperationInput } from '../../api/contract.ts';
import type { EntityOf, EntityType } from '../../model/entity.ts';
import type { DuplicateCandidate, RatedRecord } from '../../registry/operations/entity-operations.ts';
import type { Registry } from '../../registry/registry.ts';

/** The HTTP operations that all registry types share: read, enable, delete, rate, find duplicates. */
export function ratedEntities<T extends EntityType>(registry: Registry, type: T) {
  async function read(path: string): Promise<{ readonly entity: EntityOf<T>; readonly record: RatedRecord }> {
    const record = await registry.get(type, path);
    const { num_stars } = await registry.rating(type, path);
    return { entity: record.entity as EntityOf<T>, record: { ...record, num_stars } };
  }
  return {
    read,
    async toggle(path: string, enabled: boolean) {
      const changed = await registry.patch(type, path, { is_enabled: enabled });
      const message = `${changed.path} is ${enabled ? 'enabled' : 'disabled'}.`;
      return { status: 200 as const, body: { message, path: changed.path, is_enabled: enabled } };
    },
    async remove(path: string) {
      await registry.delete(type, path);
      return { status: 204 as const, body: undefined };
    },
    async rate(path: string, { rating, user }: OperationInput<'rateServer'>['body']) {
      const { num_stars } = await registry.rate(type, path, { rating, ...(user === undefined ? {} : { user }) });
      return { status: 200 as const, body: { message: 'Rating saved.', average_rating: num_stars } };
    },
    async rating(path: string) {
      const { num_stars, rating_details } = await registry.rating(type, path);
      return { status: 200 as const, body: { num_stars, rating_details: [...rating_details] } };
    },
    async duplicates(asked: OperationInput<'checkServerDuplicates'>['body']) {
      const given = Object.entries(asked).filter(([, value]) => value !== null && value !== undefined);
      const report = await registry.findDuplicates({ ...Object.fromEntries(given), type } as DuplicateCandidate);
      return {
        status: 200 as const,
        body: {
          ...report,
          collision_with: report.collision_with.map((found) => ({ ...found, reasons: [...found.reasons] })),
          advisory_matches: [...report.advisory_matches],
        },
      };
    },
  };
}
