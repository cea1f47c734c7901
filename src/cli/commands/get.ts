import { openExisting } from '../backend.ts';
import { type CommandContext, type CommandModule, type CommandOptions, printJson, settingsFor } from '../context.ts';
import { getWanted } from '../named-entity.ts';
import { entityCard } from '../terminal/entity-card.ts';

async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<number> {
  const { settings } = settingsFor(context, options);
  const backend = await openExisting(settings, { reads: true });
  try {
    const record = await getWanted(backend, args);
    if (options.json === true) printJson(context, record);
    else context.out.write(entityCard(record, context.out));
    return 0;
  } finally {
    await backend.close();
  }
}

export const command: CommandModule = { run };
