import { availableParallelism, constants } from 'node:os';
import { DEFAULT_ORIGIN, type LoadedSettings, loadSettings, type SettingsInput } from '../../config.ts';
import type { Caller } from '../../model/caller/caller.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { meantName } from '../../model/text/meant-name.ts';
import type { CommandName } from '../command-tables/command-table.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Where a command runs. */
export interface CommandContext {
  readonly out: Terminal;
  readonly err: Terminal;
  readonly env: NodeJS.ProcessEnv;
  /** Aborts at the first Ctrl-C or SIGTERM, with its name as the reason. Other than `graceful` commands end at once. */
  readonly signal: AbortSignal;
}

/** Options as the parser gives them: `--log-level` is `logLevel`. */
export type CommandOptions = Readonly<Record<string, unknown>>;

/** One run of a command. */
export interface CommandRun extends CommandContext {
  readonly name: CommandName;
  /** The key of the environment and its caller. Absent: the user of the data folder, who may do everything. */
  readonly key?: CommandKey;
  readonly args: readonly string[];
  readonly options: CommandOptions;
}

export interface CommandKey {
  readonly secret: string;
  /** Rejects with UNAUTHENTICATED once the key has expired or was revoked. */
  caller(): Promise<Caller>;
}

export interface CommandModule {
  /** Resolves to the exit code. */
  run(run: CommandRun): Promise<number>;
  /** Whether the command ends itself after a signal. Default false: the process ends at once. */
  readonly graceful?: boolean;
}

export type StopSignal = 'SIGINT' | 'SIGTERM';

/** 128 + n is what shells report for a process that a signal ended. */
export function exitCodeOf(signal: StopSignal): number {
  return 128 + constants.signals[signal];
}

const FLAG_OF_SETTING = {
  data_dir: 'data',
  host: 'host',
  port: 'port',
  auth: 'auth',
  open_access: 'open',
  log_level: 'logLevel',
  web: 'web',
  call: 'call',
} as const;

export function settingsFor({ env, options }: Pick<CommandRun, 'env' | 'options'>): LoadedSettings {
  const flags: SettingsInput = Object.fromEntries(
    Object.entries(FLAG_OF_SETTING).map(([setting, option]) => [
      setting,
      // Commander sets the option of a `--no-` flag to true where the flag is not given.
      option === 'web' && options.web === true ? undefined : options[option],
    ]),
  );
  return loadSettings({ flags, env });
}

/** More threads than this only warm the machine. */
const MAX_WORKERS = 4;

/** For loading a lot at once: the model runs on every core, unless the settings name a number. */
export function bulkSettingsFor(run: CommandRun): LoadedSettings['settings'] {
  const { settings, origins } = settingsFor(run);
  if (origins.embeddings_workers !== DEFAULT_ORIGIN) return settings;
  return { ...settings, embeddings_workers: Math.min(MAX_WORKERS, availableParallelism()) };
}

/** Prints the answer of a command: JSON for programs, with `--json`, or text for people. */
export function print(run: CommandRun, value: unknown, text: () => string): void {
  if (run.options.json === true) printJson(run, value);
  else run.out.write(text());
}

export function printJson({ out }: CommandContext, value: unknown): void {
  out.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function warn({ err }: CommandContext, text: string): void {
  err.write(`${err.style.yellow(`warning: ${text}`)}\n`);
}

/** An option or argument that has the wrong value, or is missing: `--limit is "x": must be a whole number from 1.` */
export function wrongOption(flag: string, value: unknown, expected: string): DowserError {
  const found = value === undefined ? 'missing' : showValue(value);
  return new DowserError('INVALID_REQUEST', `--${flag} is ${found}: must be ${expected}.`, { field: flag });
}

/** Words that other tools have for an action. */
const SAME_WORDS: readonly (readonly string[])[] = [
  ['create', 'add', 'new', 'make', 'set', 'store'],
  ['update', 'edit', 'change', 'set'],
  ['delete', 'remove', 'rm', 'revoke', 'forget'],
  ['show', 'get', 'describe', 'list', 'ls', 'status'],
];

/** The hint for an unknown name. */
export function oneOf(given: string, names: readonly string[]): string {
  const same = SAME_WORDS.filter((words) => words.includes(given.toLowerCase())).flat();
  const meant = same.find((word) => names.includes(word)) ?? meantName(given, names);
  return `${meant === undefined ? '' : `Did you mean ${meant}? `}Use one of ${names.join(', ')}.`;
}

/** Runs the function that the first argument names. Without an argument, the first one. */
export function runNamed<T>({ args: [given] }: CommandRun, what: string, named: Readonly<Record<string, () => T>>): T {
  const names = Object.keys(named);
  const name = given ?? names[0]!;
  if (Object.hasOwn(named, name)) return named[name]!();
  throw new DowserError('INVALID_REQUEST', `There is no ${what} ${showValue(name)}.`, {
    hint: oneOf(name, names),
  });
}
