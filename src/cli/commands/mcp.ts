import { DEFAULT_ORIGIN } from '../../config.ts';
import { createLogger } from '../../http/logger.ts';
import { serveMcpStdio } from '../../mcp/serve-stdio.ts';
import { dowserVersion } from '../../open.ts';
import { type CommandContext, type CommandModule, type CommandOptions, exitCodeOf, settingsFor } from '../context.ts';
import { findDataFolder } from '../data-folder.ts';
import { SharedCatalogue } from '../shared-catalogue.ts';

/** Standard output belongs to the protocol: whatever else there is to say goes to standard error. */
async function run(context: CommandContext, _args: readonly string[], options: CommandOptions): Promise<number> {
  const { settings, origins } = settingsFor(context, options);
  // Clients show or collect what a server writes; every request would be noise there.
  const logger = createLogger(origins.log_level === DEFAULT_ORIGIN ? 'warn' : settings.log_level);
  const version = dowserVersion();
  const catalogue = new SharedCatalogue({ settings, version, logger });
  try {
    if (settings.engine !== 'memory') await findDataFolder(settings.data_dir);
    // A folder that cannot be opened is a reason to stop now, with a sentence, and not at the first question.
    await catalogue.health();
    await serveMcpStdio({
      catalogue,
      version,
      signal: context.signal,
      onError: (err) => logger.error({ err }, 'mcp'),
    });
  } finally {
    await catalogue.close();
  }
  return context.signal.reason === 'SIGINT' ? exitCodeOf('SIGINT') : 0;
}

export const command: CommandModule = { run, graceful: true };
