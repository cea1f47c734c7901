import { parseEntityType } from '../../model/entity.ts';
import { stated } from '../../model/json/json-object.ts';
import type { EntityPage, EntityRecord, PageQuery } from '../../registry/contract/registry.ts';
import { type Backend, withBackend } from '../context/backend.ts';
import { type CommandModule, type CommandRun, print } from '../context/context.ts';
import { toLimit, toStatuses, toTags } from '../context/filter-options.ts';
import { entityLines } from '../terminal/entity-lines.ts';
import { FIRST_STEPS } from '../terminal/first-steps.ts';
import { formatCount, formatEntities } from '../terminal/progress.ts';

/** The largest page of a registry. */
const MAX_PAGE = 500;

function toPageQuery({ args: [type], options: { tag, status, query } }: CommandRun): PageQuery {
  return stated({
    types: type === undefined ? undefined : [parseEntityType(type)],
    tags: toTags(tag),
    statuses: toStatuses(status),
    query: query as string | undefined,
  });
}

/** The first matches, from as many pages as needed. */
async function firstOf(
  backend: Backend,
  query: PageQuery,
  limit: number,
): Promise<Pick<EntityPage, 'entities' | 'total_count'>> {
  const entities: EntityRecord[] = [];
  for (let after: string | undefined; ; ) {
    const next = after === undefined ? {} : { after };
    const found = await backend.page({ ...query, ...next, limit: Math.min(MAX_PAGE, limit - entities.length) });
    entities.push(...found.entities);
    after = found.cursor;
    if (after === undefined || entities.length >= limit) return { total_count: found.total_count, entities };
  }
}

export const command: CommandModule = {
  async run(run) {
    const query = toPageQuery(run);
    const limit = toLimit(run.options.limit);
    const options = { reads: true, missing: 'warn' } as const;
    const found = await withBackend(run, options, (backend) => firstOf(backend, query, limit));
    print(run, found, () => {
      const { entities, total_count: total } = found;
      const { dim } = run.out.style;
      const some = entities.length < total ? `${formatCount(entities.length)} of ` : '';
      const lines = [dim(`${some}${formatEntities(total)}`), ...entityLines(entities, run.out)];
      if (total === 0)
        lines.push(Object.keys(query).length === 0 ? FIRST_STEPS : 'Nothing matches. Try fewer filters.');
      if (some !== '') lines.push(dim('Show more with --limit, or everything with `dowser export`.'));
      return `${lines.join('\n')}\n`;
    });
    return 0;
  },
};
