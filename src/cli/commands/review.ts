import { idOf } from '../../model/entity.ts';
import { withBackend } from '../context/backend.ts';
import { type CommandModule, print } from '../context/context.ts';
import { getWanted } from '../context/named-entity.ts';
import { oneLine } from '../terminal/text-width.ts';

/** `dowser approve` and `dowser block`. */
export const command: CommandModule = {
  run: (run) =>
    withBackend(run, { missing: 'refuse' }, async (backend) => {
      const decision = run.name === 'approve' ? 'approved' : 'blocked';
      const { reason, dryRun } = run.options;
      const { entity, review: before } = await getWanted(backend, run.args);
      const { type, path } = entity;
      const request = { decision, ...(reason === undefined ? {} : { reason: String(reason) }) } as const;
      const reviewed = dryRun === true ? undefined : await backend.review(type, path, request);
      const answer = { entity_type: type, path, dry_run: dryRun === true, before: before ?? null, ...reviewed };
      print(run, answer, () => {
        const past = before === undefined ? '' : ` It was ${before.decision} by ${before.by} at ${before.at}.`;
        const done = reviewed === undefined ? `would be ${decision}` : `${decision} by ${reviewed.review.by}`;
        return `${oneLine(`${idOf(entity)} ${done}.${past}`)}\n`;
      });
      return 0;
    }),
};
