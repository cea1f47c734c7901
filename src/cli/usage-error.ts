import { COMMANDS, type CommandInfo } from './command-table.ts';

const UNKNOWN_OPTION = /^unknown option '(-[^'=]*)/i;

/** What someone meant whose option is in the wrong place; undefined where that is not the mistake. */
export function nearMiss(message: string, argv: readonly string[]): string | undefined {
  const option = UNKNOWN_OPTION.exec(message)?.[1];
  if (option === undefined) return undefined;
  return argv[0] === 'add' ? commandOfServer(argv.slice(1)) : beforeCommand(option, argv);
}

/** A file, a folder or an address looks like one; the name of a program has no slash and no such ending. */
const PROGRAM = /^(?!.*\.(?:jsonl?|md)$)[\w.-]+$/i;

/** `dowser add npx -y some-server`: an option of the program that starts a server. */
function commandOfServer(words: readonly string[]): string | undefined {
  const [program] = words[0] === 'mcp' ? words.slice(1) : words;
  if (program === undefined || program.startsWith('-') || !PROGRAM.test(program)) return undefined;
  return `The command that starts a server comes after --: \`dowser add -- ${program} ...\`.`;
}

/** `dowser --data DIR search`: an option of the command that comes after it. */
function beforeCommand(option: string, argv: readonly string[]): string | undefined {
  if (argv[0]?.startsWith('-') !== true) return undefined;
  const command: CommandInfo | undefined = COMMANDS.find(({ name }) => argv.includes(name));
  const known = command?.options.find(({ flags }) => flags.split(' ')[0] === option);
  if (command === undefined || known === undefined) return undefined;
  return `Options come after the command: \`dowser ${command.name} ${known.flags}\`.`;
}
