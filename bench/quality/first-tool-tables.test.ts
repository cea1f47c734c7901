import { describe, expect, it } from 'vitest';
import { catalogTable, comparedTable, kindTable, type ShownFirst, splitCatalog } from './first-tool-tables.ts';
import { type CorpusQuestion, catalogQuestions, corpusQuestions } from './tool-questions.ts';

const question = (number: number, of: Partial<CorpusQuestion> = {}): CorpusQuestion => {
  const server = `server-${number % 3}`;
  const kind = { split: 'dev', style: 'short', isNamed: false } as const;
  return { text: `q${number}`, right: new Set([`${server}#t`]), group: server, server, ...kind, ...of };
};
const shown = (number: number, tool: boolean, server = true, of?: Partial<CorpusQuestion>): ShownFirst => ({
  question: question(number, of),
  tool,
  server,
  listed: tool,
});
const catalog = (name: string, ...all: readonly ShownFirst[]) => ({ name, servers: 3, tools: 9, shown: all });
const cells = (row: string) => row.split('|').map((cell) => cell.trim());
const rowOf = (lines: readonly string[], name: string) => cells(lines.find((line) => cells(line)[1] === name)!);

describe('the table of catalogs', () => {
  it('has the share of right tools, of right servers, and of right tools where the server is right', () => {
    const lines = catalogTable([
      catalog('small', shown(0, true), shown(1, false), shown(2, false, false), shown(3, true)),
    ]);
    const [, name, servers, tools, questions, tool, , server, ofRight] = rowOf(lines, 'small');
    expect([name, servers, tools, questions]).toEqual(['small', '3', '9', '4']);
    expect([tool, server, ofRight]).toEqual(['0.500', '0.750', '0.667']);
  });
});

describe('the table of kinds', () => {
  const asked = catalog(splitCatalog('dev'), shown(0, true), shown(1, false, true, { isNamed: true, style: 'task' }));
  const again = catalog('100 servers', shown(0, false), shown(1, false));

  it('counts the questions of the catalogs of the splits, each once', () => {
    const lines = kindTable([asked, again]);
    expect(rowOf(lines, 'all').slice(2, 4)).toEqual(['2', '0.500']);
    expect(rowOf(lines, 'task').slice(2, 4)).toEqual(['1', '0.000']);
    expect(rowOf(lines, 'names the product').slice(2, 4)).toEqual(['1', '0.000']);
    expect(rowOf(lines, 'does not name it').slice(2, 4)).toEqual(['1', '1.000']);
  });
});

describe('two models compared', () => {
  const all = Array.from({ length: 60 }, (_, i) => i);
  const before = catalog(splitCatalog('dev'), ...all.map((i) => shown(i, i % 2 === 0)));

  it('differ by nothing when they answer alike', () => {
    const row = rowOf(comparedTable([before], [before]), splitCatalog('dev'));
    expect(row.slice(3, 8)).toEqual(['0.500', '0.500', '+0.000', '0.000 to 0.000', '1.000']);
  });

  it('are compared question by question', () => {
    const after = catalog(splitCatalog('dev'), ...all.map((i) => shown(i, true)));
    const row = rowOf(comparedTable([before], [after]), splitCatalog('dev'));
    expect(row.slice(3, 6)).toEqual(['0.500', '1.000', '+0.500']);
    const worse = rowOf(comparedTable([after], [before]), 'in these two: short');
    expect(worse.slice(3, 6)).toEqual(['1.000', '0.500', '-0.500']);
  });
});

describe('the questions', () => {
  it('name a server and its tools by path, in two splits that share no server', () => {
    const asked = corpusQuestions();
    const servers = (split: string) => new Set(asked.filter((one) => one.split === split).map(({ server }) => server));
    expect(asked.length).toBeGreaterThan(1000);
    expect([...servers('dev')].filter((server) => servers('test').has(server))).toEqual([]);
    for (const { server, right } of asked) {
      expect(right.size).toBeGreaterThan(0);
      for (const path of right) expect(path.startsWith(`${server}#`)).toBe(true);
    }
  });

  it('of the example catalog are those that it answers', () => {
    const asked = catalogQuestions();
    expect(asked.length).toBeGreaterThan(300);
    expect(asked.every(({ right }) => right.size > 0)).toBe(true);
  });
});
