import { idOf } from '../../model/entity.ts';
import { openExisting } from '../backend.ts';
import { type CommandContext, type CommandModule, type CommandOptions, printJson, settingsFor } from '../context.ts';
import { getWanted } from '../named-entity.ts';
import { oneLine } from '../terminal/text-width.ts';

async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<number> {
  const { settings } = settingsFor(context, options);
  const backend = await openExisting(settings);
  try {
    // A path may be written in short: what is said to be deleted is what it stands for.
    const { entity } = await getWanted(backend, args);
    await backend.delete(entity.type, entity.path);
    const deleted = { entity_type: entity.type, path: entity.path, name: entity.name };
    if (options.json === true) printJson(context, { deleted });
    else context.out.write(`Deleted ${oneLine(idOf(entity))} (${oneLine(entity.name)})\n`);
    return 0;
  } finally {
    await backend.close();
  }
}

export const command: CommandModule = { run };
