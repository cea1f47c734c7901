import { serveMcpStdio } from '../../mcp/serve-stdio.ts';
import { dowserVersion } from '../../open.ts';
import { type CommandContext, type CommandModule, type CommandOptions, exitCodeOf, settingsFor } from '../context.ts';
import { findDataFolder } from '../data-folder.ts';
import { loggerFor } from '../logger-for.ts';
import { SharedCatalog } from '../shared-catalog.ts';

/** Standard output belongs to the protocol: whatever else there is to say goes to standard error. */
async function run(context: CommandContext, _args: readonly string[], options: CommandOptions): Promise<number> {
  const loaded = settingsFor(context, options);
  const { settings } = loaded;
  // Clients show or collect what a server writes; every request would be noise there.
  const logger = loggerFor(context, loaded, 'warn');
  const version = dowserVersion();
  const catalog = new SharedCatalog({ settings, version, logger });
  try {
    if (settings.engine !== 'memory') await findDataFolder(settings.data_dir);
    // A folder that cannot be opened is a reason to stop now, with a sentence, and not at the first question.
    await catalog.health();
    await serveMcpStdio({
      catalog,
      version,
      signal: context.signal,
      onError: (err) => logger.error({ err }, 'mcp'),
    });
  } finally {
    await catalog.close();
  }
  return context.signal.reason === 'SIGINT' ? exitCodeOf('SIGINT') : 0;
}

export const command: CommandModule = { run, graceful: true };
