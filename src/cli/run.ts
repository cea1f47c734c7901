import { Command, CommanderError } from 'commander';
import { COMMANDS, type CommandInfo, type CommandName, commandNamed } from './command-tables/command-table.ts';
import {
  type CommandModule,
  type CommandOptions,
  type CommandRun,
  exitCodeOf,
  type StopSignal,
} from './context/context.ts';
import { reportFailure } from './context/failure.ts';
import { helpHint, usageError } from './context/usage-error.ts';
import { toTerminal } from './terminal/terminal.ts';

/** The code of a command is loaded when it runs. */
const MODULES: Readonly<Record<CommandName, () => Promise<{ readonly command: CommandModule }>>> = {
  serve: () => import('./commands/serve.ts'),
  mcp: () => import('./commands/mcp.ts'),
  search: () => import('./commands/search.ts'),
  call: () => import('./commands/call.ts'),
  recommend: () => import('./commands/recommend.ts'),
  list: () => import('./commands/list.ts'),
  peers: () => import('./commands/peers.ts'),
  tags: () => import('./commands/tags.ts'),
  docs: () => import('./commands/docs.ts'),
  memory: () => import('./commands/memory.ts'),
  import: () => import('./commands/import.ts'),
  export: () => import('./commands/export.ts'),
  add: () => import('./commands/add.ts'),
  refresh: () => import('./commands/refresh.ts'),
  login: () => import('./commands/login.ts'),
  logout: () => import('./commands/logout.ts'),
  drift: () => import('./commands/drift.ts'),
  approve: () => import('./commands/review.ts'),
  block: () => import('./commands/review.ts'),
  get: () => import('./commands/get.ts'),
  delete: () => import('./commands/delete.ts'),
  lint: () => import('./commands/lint.ts'),
  cost: () => import('./commands/cost.ts'),
  install: () => import('./commands/install.ts'),
  hooks: () => import('./commands/hooks.ts'),
  profile: () => import('./commands/profile.ts'),
  skill: () => import('./commands/skill.ts'),
  explain: () => import('./commands/explain.ts'),
  graph: () => import('./commands/graph.ts'),
  registry: () => import('./commands/registry.ts'),
  examples: () => import('./commands/examples.ts'),
  eval: () => import('./commands/eval.ts'),
  model: () => import('./commands/model.ts'),
  reindex: () => import('./commands/reindex.ts'),
  doctor: () => import('./commands/doctor.ts'),
  backup: () => import('./commands/backup.ts'),
  restore: () => import('./commands/restore.ts'),
  migrate: () => import('./commands/migrate.ts'),
  key: () => import('./commands/key.ts'),
  audit: () => import('./commands/audit.ts'),
  groups: () => import('./commands/groups.ts'),
  completion: () => import('./commands/completion.ts'),
};

interface Parsed {
  readonly name: CommandName;
  readonly args: readonly string[];
  readonly options: CommandOptions;
}

/** Parses the command line. Throws INVALID_REQUEST. */
export function parseArguments(given: readonly string[]): Parsed {
  const argv = withoutAlias(given);
  // The help of a known command is shown before this runs.
  if (argv[0] === 'help') return parseArguments(argv.slice(1));
  let parsed: Parsed | undefined;
  const program = new Command('dowser').exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
  program.helpOption(false).helpCommand(false);
  for (const { name, args, options } of COMMANDS as readonly (CommandInfo & { name: CommandName })[]) {
    const command = program.command(name).exitOverride().helpOption(false).allowExcessArguments(false);
    for (const arg of args) command.argument(arg);
    for (const option of options) {
      if (option.repeat === true) command.option(option.flags, '', (value, all: string[] = []) => [...all, value]);
      else command.option(option.flags);
    }
    command.action(() => {
      // The words after `--` are also an option, for a command that takes another command line.
      const line = argv.includes('--') ? { '--': argv.slice(argv.indexOf('--') + 1) } : {};
      parsed = { name, args: command.args, options: { ...command.opts(), ...line } };
    });
  }
  try {
    program.parse(argv, { from: 'user' });
  } catch (thrown) {
    if (thrown instanceof CommanderError) throw usageError(thrown.code, program, argv, thrown);
    throw thrown;
  }
  if (parsed === undefined) throw usageError('commander.help', program, argv);
  return parsed;
}

/** `remove` -> `delete` */
function withoutAlias(argv: readonly string[]): readonly string[] {
  const command = commandNamed(argv[0]);
  return command === undefined ? argv : [command.name, ...argv.slice(1)];
}

/** The caller of the key in the environment. Loaded only where there is one. */
async function keyOf(started: CommandRun): Promise<Pick<CommandRun, 'key'>> {
  if ((started.env.DOWSER_KEY ?? '') === '') return {};
  const { commandKey } = await import('./context/command-key.ts');
  return { key: await commandKey(started) };
}

/** Runs one command. Resolves to the exit code. */
export async function run(argv: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const out = toTerminal(process.stdout, env);
  const err = toTerminal(process.stderr, env);
  const stop = new AbortController();
  let graceful = false;
  const onSignal = (signal: StopSignal) => {
    if (!graceful || stop.signal.aborted) process.exit(exitCodeOf(signal));
    stop.abort(signal);
  };
  const failed = (thrown: unknown) => {
    const debug = !['', '0'].includes(env.DOWSER_DEBUG ?? '');
    return reportFailure(thrown, err, { json: argv.includes('--json'), debug, readMore: helpHint(withoutAlias(argv)) });
  };
  const onDefect = (thrown: unknown) => process.exit(failed(thrown));
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('uncaughtException', onDefect);
  try {
    const { name, args, options } = parseArguments(argv);
    const { command } = await MODULES[name]();
    graceful = command.graceful === true;
    const started: CommandRun = { name, out, err, env, signal: stop.signal, args, options };
    return await command.run({ ...started, ...(await keyOf(started)) });
  } catch (thrown) {
    if (stop.signal.aborted) return exitCodeOf(stop.signal.reason as StopSignal);
    return failed(thrown);
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
    process.off('uncaughtException', onDefect);
  }
}
