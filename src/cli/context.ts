import { availableParallelism, constants } from 'node:os';
import { DEFAULT_ORIGIN, type LoadedSettings, loadSettings, type SettingsInput } from '../config.ts';
import type { Terminal } from './terminal/terminal.ts';

/** What a command is given besides its own arguments. */
export interface CommandContext {
  readonly out: Terminal;
  readonly err: Terminal;
  readonly env: NodeJS.ProcessEnv;
  /** Aborts at the first Ctrl-C or SIGTERM, with its name as the reason; only `graceful` commands get to see it. */
  readonly signal: AbortSignal;
}

export type StopSignal = 'SIGINT' | 'SIGTERM';

/** 128 + n is what shells report for a process that a signal ended. */
export function exitCodeOf(signal: StopSignal): number {
  return 128 + constants.signals[signal];
}

/** Options as the parser gives them: `--log-level` is `logLevel`. */
export type CommandOptions = Readonly<Record<string, unknown>>;

export interface CommandModule {
  /** Resolves to the exit code. */
  run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<number>;
  /** Whether the command ends itself when it is told to stop, or may simply be dropped. */
  readonly graceful?: boolean;
}

const FLAG_OF_SETTING = { data_dir: 'data', host: 'host', port: 'port', log_level: 'logLevel' } as const;

export function settingsFor({ env }: CommandContext, options: CommandOptions): LoadedSettings {
  const flags: SettingsInput = Object.fromEntries(
    Object.entries(FLAG_OF_SETTING).map(([setting, option]) => [setting, options[option]]),
  );
  return loadSettings({ flags, env });
}

/** More threads than this only warm the machine. */
const MAX_WORKERS = 4;

/** For loading a lot at once: the model runs on every core, unless someone chose otherwise. */
export function bulkSettingsFor(context: CommandContext, options: CommandOptions): LoadedSettings {
  const loaded = settingsFor(context, options);
  if (loaded.origins.embeddings_workers !== DEFAULT_ORIGIN) return loaded;
  const embeddings_workers = Math.min(MAX_WORKERS, availableParallelism());
  return { ...loaded, settings: { ...loaded.settings, embeddings_workers } };
}

/** A JSON document on standard output, for programs. */
export function printJson({ out }: CommandContext, value: unknown): void {
  out.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function warn({ err }: CommandContext, text: string): void {
  err.write(`${err.style.yellow(`warning: ${text}`)}\n`);
}

/** For a question about a data folder that is not there: a person should see its name, which may be a typing mistake. */
export function warnMissing(context: CommandContext, { json }: CommandOptions): (dir: string) => void {
  return (dir) => {
    if (json !== true) warn(context, `There is no data folder ${dir} yet: nothing is registered.`);
  };
}
