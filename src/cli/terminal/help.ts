import { COMMANDS, type CommandInfo, commandNamed } from '../command-table.ts';
import { wrap } from './text-width.ts';

const GLOBAL_OPTIONS = [
  ['--help', 'show help, also for one command'],
  ['--version, -v', 'show the version'],
] as const;

/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 100;
/** A second column that is narrower than this stands below the first. */
const NARROWEST = 24;
/** How far what stands below is indented. */
const BELOW = '      ';

/** Two columns, the first as wide as its widest cell. */
function table(rows: readonly (readonly [string, string])[], columns: number): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  const room = columns - width - 4;
  const isBeside = room >= NARROWEST;
  const lines = rows.flatMap(([left, right]) => {
    if (!isBeside) return [`  ${left}`, ...wrap(right, columns - BELOW.length).map((line) => `${BELOW}${line}`)];
    return wrap(right, room).map((line, i) => `  ${(i === 0 ? left : '').padEnd(width)}  ${line}`);
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** A paragraph, broken at blanks. */
const paragraph = (text: string, columns: number): string => wrap(text, columns).join('\n');

export function mainHelp(version: string, width = WIDEST): string {
  const columns = Math.min(width, WIDEST);
  const rows = COMMANDS.map(({ name, args, summary }) => [[name, ...args].join(' '), summary] as const);
  return `${paragraph(`Dowser ${version}: finds the right tool, agent, skill, package or document for an AI agent.`, columns)}

Usage: dowser <command> [options]

Commands:
${table(rows, columns)}
Options:
${table(GLOBAL_OPTIONS, columns)}
First steps:
  dowser serve --example
  dowser search read a web page
`;
}

export function commandHelp(
  { name, aliases = [], args, summary, notes = [], options, examples }: CommandInfo,
  width = WIDEST,
): string {
  const columns = Math.min(width, WIDEST);
  const rows = [
    ...options.map(({ flags, summary: text }) => [flags, text] as const),
    ['--help', 'show this help'] as const,
  ];
  return `${paragraph(`dowser ${name}: ${summary}`, columns)}

${paragraph(`Usage: dowser ${[name, ...args].join(' ')} [options]`, columns)}
${[...aliases.map((alias) => `\`dowser ${alias}\` is the same.`), ...notes].map((note) => `\n${paragraph(note, columns)}\n`).join('')}
Options:
${table(rows, columns)}
Examples:
${examples.map((example) => `  ${example}\n`).join('')}`;
}

/** What can be answered from the command table alone; undefined when a command has to run. */
export function quickAnswer(argv: readonly string[], version: () => string, columns = WIDEST): string | undefined {
  const [first, second] = argv;
  if (first === undefined || first === '--help' || first === '-h') return mainHelp(version(), columns);
  if (['--version', '-v', '-V'].includes(first)) return `${version()}\n`;
  if (first === 'help') {
    const command = commandNamed(second);
    if (second === undefined || command !== undefined) {
      return command ? commandHelp(command, columns) : mainHelp(version(), columns);
    }
  }
  const command = commandNamed(first);
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  const asked = words.includes('--help') || words.includes('-h');
  return command !== undefined && asked ? commandHelp(command, columns) : undefined;
}
