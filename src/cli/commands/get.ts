import { parseEntityType } from '../../model/entity.ts';
import { openExisting } from '../backend.ts';
import { type CommandContext, type CommandModule, type CommandOptions, printJson, settingsFor } from '../context.ts';
import { getNamed } from '../named-entity.ts';
import { entityCard } from '../terminal/entity-card.ts';

async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<number> {
  const [type = '', path = ''] = args;
  const entityType = parseEntityType(type);
  const { settings } = settingsFor(context, options);
  const backend = await openExisting(settings);
  try {
    const record = await getNamed(backend, entityType, path);
    if (options.json === true) printJson(context, record);
    else context.out.write(entityCard(record, context.out));
    return 0;
  } finally {
    await backend.close();
  }
}

export const command: CommandModule = { run };
