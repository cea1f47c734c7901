import type { Command } from 'commander';
import { DowserError } from '../../model/errors/errors.ts';
import { meantName } from '../../model/text/meant-name.ts';
import { COMMANDS, type CommandInfo } from '../command-tables/command-table.ts';

interface Problem {
  readonly message: string;
  /** The command or option that was probably meant. */
  readonly meant?: string | undefined;
  /** What to do. Default: read the help. */
  readonly advice?: string | undefined;
}

/**
 * What is wrong with a command line, in our own words. `code` is that of commander, such as `commander.unknownOption`.
 */
export function usageError(code: string, program: Command, argv: readonly string[], cause?: unknown): DowserError {
  const command = program.commands.find((known) => known.name() === argv[0]) ?? program;
  const { message, meant, advice } = problemOf(code, command, argv);
  const question = meant === undefined ? '' : `Did you mean ${meant}? `;
  return new DowserError('INVALID_REQUEST', message, {
    hint: `${question}${advice ?? helpHint(argv)}`,
    ...(meant === undefined ? {} : { details: { did_you_mean: meant } }),
    cause,
  });
}

/** Points to the help of the command. */
export function helpHint(argv: readonly string[]): string {
  const known = COMMANDS.some(({ name }) => name === argv[0]);
  return known ? `Run \`dowser ${argv[0]} --help\` to see its options.` : 'Run `dowser --help` to see the commands.';
}

/** Options before any command. They are answered before a command line is parsed. */
const PROGRAM_FLAGS = ['--version', '--help'];

function problemOf(code: string, command: Command, argv: readonly string[]): Problem {
  switch (code) {
    case 'commander.unknownCommand': {
      const [name = ''] = command.args;
      const names = COMMANDS.map((info) => info.name);
      return { message: `Unknown command '${name}'.`, meant: meantName(name, names) };
    }
    case 'commander.unknownOption': {
      const [option = ''] = command.parseOptions(argv.slice(command.parent === null ? 0 : 1)).unknown;
      const [flag = ''] = option.split('=');
      const flags = command.parent === null ? PROGRAM_FLAGS : command.options.map(({ long }) => long ?? '');
      const advice = argv[0] === 'add' ? commandOfServer(argv.slice(1)) : beforeCommand(flag, argv);
      return { message: `Unknown option '${option}'.`, meant: meantName(flag, flags), advice };
    }
    case 'commander.missingArgument': {
      const missing = command.registeredArguments.find(({ required }, i) => required && command.args[i] === undefined);
      return { message: `'${missing?.name()}' is missing: ${usageOf(argv)}.` };
    }
    case 'commander.optionMissingArgument': {
      // Only the last word can miss its value.
      const option = command.options.find(({ long, short }) => [long, short].includes(argv.at(-1)));
      return { message: `${option?.long} needs a value: ${option?.flags}.` };
    }
    case 'commander.excessArguments':
      return { message: `Too many arguments: ${usageOf(argv)}.` };
    default:
      return { message: 'A command is missing.' };
  }
}

/** `dowser get <entity> [path]` */
function usageOf(argv: readonly string[]): string {
  const info: CommandInfo | undefined = COMMANDS.find(({ name }) => name === argv[0]);
  return ['dowser', argv[0], ...(info?.args ?? [])].join(' ');
}

/** The name of a program, unlike a file, a folder or an address, has no slash and no such ending. */
const PROGRAM = /^(?!.*\.(?:jsonl?|md)$)[\w.-]+$/i;

/** `dowser add npx -y some-server`: an option of the program that starts a server. */
function commandOfServer(words: readonly string[]): string | undefined {
  const [program] = words[0] === 'mcp' ? words.slice(1) : words;
  if (program === undefined || program.startsWith('-') || !PROGRAM.test(program)) return undefined;
  return `Put the command that starts a server after --: \`dowser add -- ${program} ...\`.`;
}

/** `dowser --data DIR search`: an option of the command that comes after it. */
function beforeCommand(flag: string, argv: readonly string[]): string | undefined {
  if (argv[0]?.startsWith('-') !== true) return undefined;
  const command: CommandInfo | undefined = COMMANDS.find(({ name }) => argv.includes(name));
  const known = command?.options.find(({ flags }) => flags.split(' ')[0] === flag);
  if (command === undefined || known === undefined) return undefined;
  return `Options come after the command: \`dowser ${command.name} ${known.flags}\`.`;
}
