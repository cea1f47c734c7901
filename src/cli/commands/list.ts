import { parseEntityType } from '../../model/entity.ts';
import type { EntityPage, EntityRecord, PageQuery } from '../../registry/registry.ts';
import { openBackend, PAGE } from '../backend.ts';
import {
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  printJson,
  settingsFor,
  warnMissing,
} from '../context.ts';
import { toLimit, toStatuses, toTags } from '../filter-options.ts';
import { entityLines } from '../terminal/entity-lines.ts';
import { FIRST_STEPS } from '../terminal/first-steps.ts';
import { formatCount, formatEntities } from '../terminal/progress.ts';

const DEFAULT_LIMIT = 50;

function toPageQuery([type]: readonly string[], { tag, status, query }: CommandOptions): PageQuery {
  const filter = {
    types: type === undefined ? undefined : [parseEntityType(type)],
    tags: toTags(tag),
    statuses: toStatuses(status),
    query,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The first of what matches, however many pages that takes. */
async function firstOf(
  page: (query: PageQuery) => Promise<EntityPage>,
  query: PageQuery,
  limit: number,
): Promise<Pick<EntityPage, 'entities' | 'total_count'>> {
  const entities: EntityRecord[] = [];
  for (let after: string | undefined; ; ) {
    const next = after === undefined ? {} : { after };
    const found = await page({ ...query, ...next, limit: Math.min(PAGE, limit - entities.length) });
    entities.push(...found.entities);
    after = found.cursor;
    if (after === undefined || entities.length >= limit) return { total_count: found.total_count, entities };
  }
}

async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<number> {
  const query = toPageQuery(args, options);
  const limit = toLimit(options.limit, DEFAULT_LIMIT);
  const { settings } = settingsFor(context, options);
  const backend = await openBackend(settings, { reads: true, onMissing: warnMissing(context, options) });
  try {
    const found = await firstOf((next) => backend.page(next), query, limit);
    if (options.json === true) printJson(context, found);
    else {
      const { out } = context;
      const { entities, total_count: total } = found;
      const some = entities.length < total ? `${formatCount(entities.length)} of ` : '';
      const lines = [out.style.dim(`${some}${formatEntities(total)}`), ...entityLines(entities, out)];
      if (total === 0)
        lines.push(Object.keys(query).length === 0 ? FIRST_STEPS : 'Nothing matches. Try fewer filters.');
      if (some !== '') lines.push(out.style.dim('Show more with --limit, or everything with `dowser export`.'));
      out.write(`${lines.join('\n')}\n`);
    }
    return 0;
  } finally {
    await backend.close();
  }
}

export const command: CommandModule = { run };
