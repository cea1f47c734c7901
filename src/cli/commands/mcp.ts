import { sharedReader } from '../../http/documents/shared-reader.ts';
import { ProfileFile } from '../../mcp/profiles/profile-file.ts';
import { serveMcpStdio } from '../../mcp/serve-stdio.ts';
import { TOOLSET_PATHS, type ToolsetName } from '../../mcp/toolset-names.ts';
import type { ServedTools } from '../../mcp/toolsets.ts';
import { unauthenticated } from '../../model/caller/access-errors.ts';
import { hasRight } from '../../model/caller/caller.ts';
import { dowserVersion } from '../../open.ts';
import { type CommandModule, type CommandRun, exitCodeOf, settingsFor, wrongOption } from '../context/context.ts';
import { stateOfFolder } from '../context/data-folder.ts';
import { localScope } from '../context/local-scope.ts';
import { loggerFor } from '../context/logger-for.ts';
import { SharedCatalog } from '../model/shared-catalog.ts';

function toolsOf({ options }: CommandRun, dataDir: string): ServedTools {
  const { profile, toolset } = options;
  if (profile === undefined) return toolsetOf(toolset);
  if (toolset !== undefined) throw wrongOption('toolset', toolset, 'left out with --profile, which names its own');
  return { profile: new ProfileFile(dataDir).get(String(profile)) };
}

function toolsetOf(given: unknown): ToolsetName {
  const names = Object.keys(TOOLSET_PATHS);
  if (given === undefined) return 'agent';
  if (names.includes(String(given))) return given as ToolsetName;
  throw wrongOption('toolset', given, `one of ${names.join(', ')}`);
}

/** Standard output belongs to the protocol. Everything else goes to standard error. */
async function run(run: CommandRun): Promise<number> {
  const loaded = settingsFor(run);
  const { settings } = loaded;
  // Clients show or collect this log: a line per request would be noise.
  const logger = loggerFor(run, loaded, 'warn');
  const toolset = toolsOf(run, settings.data_dir);
  const version = dowserVersion();
  if (settings.auth === true && run.key === undefined) {
    throw unauthenticated('This data folder requires credentials.', 'Set DOWSER_KEY to a key of `dowser key create`.');
  }
  const caller = await run.key?.caller();
  const scope = await localScope(run, settings);
  const catalog = new SharedCatalog({ settings, version, logger, key: run.key, scope });
  try {
    if (settings.engine !== 'memory') await stateOfFolder(settings.data_dir);
    // If the folder cannot be opened, fail now and not at the first request.
    await catalog.health();
    await serveMcpStdio({
      catalog,
      toolset,
      version,
      calls: settings.call !== 'off',
      files: { reader: sharedReader(), now: () => new Date() },
      signal: run.signal,
      ...(caller === undefined ? {} : { mayUse: (right) => hasRight(caller, right) }),
      onError: (err) => logger.error({ err }, 'mcp'),
    });
  } finally {
    await catalog.close();
  }
  return run.signal.reason === 'SIGINT' ? exitCodeOf('SIGINT') : 0;
}

export const command: CommandModule = { run, graceful: true };
