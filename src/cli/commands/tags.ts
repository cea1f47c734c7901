import { openBackend } from '../backend.ts';
import {
  type CommandContext,
  type CommandModule,
  type CommandOptions,
  printJson,
  settingsFor,
  warnMissing,
} from '../context.ts';
import { toLimit } from '../filter-options.ts';
import { formatCount, formatThings } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

const DEFAULT_LIMIT = 50;

async function run(context: CommandContext, _args: readonly string[], options: CommandOptions): Promise<number> {
  const limit = toLimit(options.limit, DEFAULT_LIMIT);
  const { settings } = settingsFor(context, options);
  const backend = await openBackend(settings, { reads: true, onMissing: warnMissing(context, options) });
  try {
    const all = await backend.tags();
    // They come sorted by name, which is the order of those that are used equally often.
    const tags = [...all].sort((a, b) => b.count - a.count).slice(0, limit);
    if (options.json === true) printJson(context, { total_count: all.length, tags });
    else {
      const { out } = context;
      const some = tags.length < all.length ? `${formatCount(tags.length)} of ` : '';
      const width = formatCount(tags[0]?.count ?? 0).length;
      const lines = tags.map(({ tag, count }) => `${formatCount(count).padStart(width)}  ${oneLine(tag)}`);
      out.write(`${[out.style.dim(`${some}${formatThings(all.length, 'tag')}`), ...lines].join('\n')}\n`);
    }
    return 0;
  } finally {
    await backend.close();
  }
}

export const command: CommandModule = { run };
