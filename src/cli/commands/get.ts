import { withBackend } from '../context/backend.ts';
import { type CommandModule, print, warn } from '../context/context.ts';
import { getWanted } from '../context/named-entity.ts';
import { entityCard } from '../terminal/entity-card.ts';

export const command: CommandModule = {
  run: (run) =>
    withBackend(run, { reads: true, missing: 'refuse' }, async (backend) => {
      const record = await getWanted(backend, run.args);
      print(run, record, () => entityCard(record, run.out));
      for (const warning of record.warnings) warn(run, warning);
      return 0;
    }),
};
