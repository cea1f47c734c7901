import { COMMANDS, type CommandInfo, commandNamed } from '../command-tables/command-table.ts';
import { wrap } from './text-width.ts';

const GLOBAL_OPTIONS = [
  ['--help', 'show help, also for one command'],
  ['--version, -v', 'show the version'],
] as const;

/** Longer lines are hard to read, however wide the terminal is. */
const MAX_COLUMNS = 100;
/** A second column that is narrower than this goes below the first. */
const MIN_COLUMN = 24;
/** The indent of a second column below the first. */
const BELOW = '      ';

/** Two columns, the first as wide as its widest cell. */
function table(rows: readonly (readonly [string, string])[], columns: number): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  const room = columns - width - 4;
  const isBeside = room >= MIN_COLUMN;
  const lines = rows.flatMap(([left, right]) => {
    if (!isBeside) return [`  ${left}`, ...wrap(right, columns - BELOW.length).map((line) => `${BELOW}${line}`)];
    return wrap(right, room).map((line, i) => `  ${(i === 0 ? left : '').padEnd(width)}  ${line}`);
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** A paragraph, broken at blanks. */
const paragraph = (text: string, columns: number): string => wrap(text, columns).join('\n');

export function mainHelp(version: string, width = MAX_COLUMNS): string {
  const columns = Math.min(width, MAX_COLUMNS);
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
  width = MAX_COLUMNS,
): string {
  const columns = Math.min(width, MAX_COLUMNS);
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

/** The help or the version. Undefined if a command has to run. */
export function quickAnswer(argv: readonly string[], version: () => string, columns = MAX_COLUMNS): string | undefined {
  const [first, second] = argv;
  if (first === undefined || first === '--help' || first === '-h') return mainHelp(version(), columns);
  if (['--version', '-v', '-V'].includes(first)) return `${version()}\n`;
  if (first === 'help' && second === undefined) return mainHelp(version(), columns);
  const command = commandNamed(first === 'help' ? second : first);
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  const asked = first === 'help' || words.includes('--help') || words.includes('-h');
  return command !== undefined && asked ? commandHelp(command, columns) : undefined;
}
