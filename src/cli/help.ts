import { COMMANDS, type CommandInfo } from './command-table.ts';

const GLOBAL_OPTIONS = [
  ['--help', 'show help, also for one command'],
  ['--version', 'show the version'],
] as const;

/** Two columns, the first as wide as its widest cell. */
function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}

export function mainHelp(version: string): string {
  return `Dowser ${version}: finds the right tool, agent, skill, package or document for an AI agent.

Usage: dowser <command> [options]

Commands:
${columns(COMMANDS.map(({ name, args, summary }) => [[name, ...args].join(' '), summary]))}
Options:
${columns(GLOBAL_OPTIONS)}
First steps:
  dowser serve --example
  dowser search read a web page
`;
}

export function commandHelp({ name, args, summary, notes = [], options, examples }: CommandInfo): string {
  return `dowser ${name}: ${summary}

Usage: dowser ${[name, ...args].join(' ')} [options]
${notes.length === 0 ? '' : `\n${notes.join('\n')}\n`}
Options:
${columns([...options.map(({ flags, summary: text }) => [flags, text] as const), ['--help', 'show this help']])}
Examples:
${examples.map((example) => `  ${example}\n`).join('')}`;
}

/** What can be answered from the command table alone; undefined when a command has to run. */
export function quickAnswer(argv: readonly string[], version: () => string): string | undefined {
  const [first, second] = argv;
  const named = (name: string | undefined): CommandInfo | undefined => COMMANDS.find((info) => info.name === name);
  if (first === undefined || first === '--help' || first === '-h') return mainHelp(version());
  if (first === '--version' || first === '-V') return `${version()}\n`;
  if (first === 'help') {
    const command = named(second);
    if (second === undefined || command !== undefined) return command ? commandHelp(command) : mainHelp(version());
  }
  const command = named(first);
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  const asked = words.includes('--help') || words.includes('-h');
  return command !== undefined && asked ? commandHelp(command) : undefined;
}
