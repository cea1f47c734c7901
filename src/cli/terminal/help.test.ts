import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../config.ts';
import { METRIC_NAMES } from '../../eval/metrics.ts';
import { ENTITY_TYPES } from '../../model/entity.ts';
import { COMMANDS } from '../command-tables/command-table.ts';
import { commandHelp, mainHelp, quickAnswer } from './help.ts';

const version = () => '1.2.3';

describe('quickAnswer', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])('answers %j with the help', (argv) => {
    expect(quickAnswer(argv, version)).toBe(mainHelp('1.2.3'));
  });

  it.each([[['--version']], [['-v']], [['-V']]])('answers %j with the version', (argv) => {
    expect(quickAnswer(argv, version)).toBe('1.2.3\n');
  });

  it.each([[['search', '--help']], [['help', 'search']], [['search', 'x', '-h']]])(
    'answers %j with the help of the command',
    (argv) => {
      expect(quickAnswer(argv, version)).toBe(commandHelp(COMMANDS[1]));
    },
  );

  it('knows a command by its other name', () => {
    const help = quickAnswer(['remove', '--help'], version);
    expect(help).toMatch(/^dowser delete: .*`dowser remove` is the same\./s);
    expect(quickAnswer(['help', 'remove'], version)).toBe(help);
  });

  it.each([[['search', 'x']], [['help', 'nothing']], [['nothing', '--help']], [['search', '--', '--help']]])(
    'leaves %j to the command',
    (argv) => {
      expect(quickAnswer(argv, version)).toBeUndefined();
    },
  );
});

describe('the help', () => {
  it('names every command, and each command its options and arguments', () => {
    for (const command of COMMANDS) {
      expect(mainHelp('1.2.3')).toContain(`  ${[command.name, ...command.args].join(' ')} `);
      for (const { flags, summary } of command.options) {
        expect(commandHelp(command)).toMatch(new RegExp(`^ {2}${flags.replace('-', '\\-')} +`, 'm'));
        expect(commandHelp(command)).toContain(summary);
      }
    }
  });

  it('says what a type is where one is asked for, and what can be measured', () => {
    const helpOf = (name: string) => commandHelp(COMMANDS.find((command) => command.name === name)!);
    for (const name of ['search', 'get', 'delete']) {
      for (const type of ENTITY_TYPES) expect([name, helpOf(name)]).toEqual([name, expect.stringContaining(type)]);
    }
    for (const metric of METRIC_NAMES) expect(helpOf('eval')).toContain(metric);
    for (const kind of ['"type"', '"path"', '"name"']) expect(helpOf('import')).toContain(kind);
  });

  it.each([200, 100, 80, 60, 50, 40])('fits a terminal of %i columns, and breaks no word', (columns) => {
    const texts = [mainHelp('1.2.3', columns), ...COMMANDS.map((command) => commandHelp(command, columns))];
    const whole = [mainHelp('1.2.3'), ...COMMANDS.map((command) => commandHelp(command))];
    texts.forEach((text, i) => {
      // What is to be copied is left in one piece.
      const [told = ''] = text.split(/^(?:Examples|First steps):$/m);
      for (const line of told.split('\n')) expect(line.length).toBeLessThanOrEqual(Math.min(columns, 100));
      expect(text.split(/\s+/)).toEqual(whole[i]!.split(/\s+/));
    });
  });

  it('has a flag for every setting that says it has one', () => {
    const flags: string[] = COMMANDS.flatMap(({ options }) => options.map((option) => option.flags.split(' ')[0]!));
    for (const { flag } of SETTINGS) if (flag !== null) expect(flags).toContain(flag);
  });

  it('gives every command that has to do with data the data folder', () => {
    for (const { name, options } of COMMANDS)
      if (name !== 'completion' && name !== 'migrate')
        expect(options.map(({ flags }) => flags)).toContain('--data <dir>');
  });
});
