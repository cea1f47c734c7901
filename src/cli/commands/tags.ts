import { withBackend } from '../context/backend.ts';
import { type CommandModule, print } from '../context/context.ts';
import { toLimit } from '../context/filter-options.ts';
import { formatCount, formatThings } from '../terminal/progress.ts';
import { oneLine } from '../terminal/text-width.ts';

export const command: CommandModule = {
  async run(run) {
    const limit = toLimit(run.options.limit);
    const all = await withBackend(run, { reads: true, missing: 'warn' }, (backend) => backend.tags());
    // They come sorted by name. The sort is stable, so tags with the same count stay in that order.
    const tags = [...all].sort((a, b) => b.count - a.count).slice(0, limit);
    print(run, { total_count: all.length, tags }, () => {
      const some = tags.length < all.length ? `${formatCount(tags.length)} of ` : '';
      const width = formatCount(tags[0]?.count ?? 0).length;
      const lines = tags.map(({ tag, count }) => `${formatCount(count).padStart(width)}  ${oneLine(tag)}`);
      return `${[run.out.style.dim(`${some}${formatThings(all.length, 'tag')}`), ...lines].join('\n')}\n`;
    });
    return 0;
  },
};
