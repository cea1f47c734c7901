import { idOf } from '../../model/entity.ts';
import { withBackend } from '../context/backend.ts';
import { type CommandModule, print } from '../context/context.ts';
import { getWanted } from '../context/named-entity.ts';
import { oneLine } from '../terminal/text-width.ts';

export const command: CommandModule = {
  run: (run) =>
    withBackend(run, { missing: 'refuse' }, async (backend) => {
      // A path may be given in short form: report the full one.
      const { entity } = await getWanted(backend, run.args);
      const { type, path, name } = entity;
      await backend.delete(type, path);
      const deleted = { entity_type: type, path, name };
      print(run, { deleted }, () => `Deleted ${oneLine(idOf(entity))} (${oneLine(name)})\n`);
      return 0;
    }),
};
