import { describe, expect, it } from 'vitest';
import { type McpServer, parseEntity } from '../model/entity.ts';
import { askedQuestion, checkFindability, findabilityOf, suggestedStart } from './findability.ts';
import { reportOf } from './report.ts';

const question = { text: 'create a ticket', from: 'task' } as const;
const asked = (...shown: readonly string[]) => askedQuestion(question, '/desk#create', shown);
const rivals = Array.from({ length: 10 }, (_, at) => `/other#${at}`);

const tool = {
  name: 'create',
  description: 'Creates a ticket.',
  inputSchema: { properties: { customerName: {} } },
};
const desk = parseEntity({ type: 'mcp_server', path: '/desk', name: 'Desk', tools: [tool] }).entity as McpServer;

describe('findability', () => {
  it('is the mean of the reciprocal ranks; beyond the tenth place a tool is not found', () => {
    const found = findabilityOf('create', '/desk#create', [
      asked('/desk#create'),
      asked('/a#x', '/desk#create'),
      asked(...rivals, '/desk#create'),
      asked(),
    ]);
    expect(found.share).toBe(1.5 / 4);
    expect(found.questions.map(({ rank }) => rank)).toEqual([1, 2, null, null]);
  });

  it('names those that came first in its place, most often first', () => {
    const { taken_by } = findabilityOf('create', '/desk#create', [
      asked('/b#x', '/desk#create'),
      asked('/a#x'),
      asked('/b#x'),
      asked('/desk#create'),
    ]);
    expect(taken_by).toEqual([
      { path: '/b#x', times: 2 },
      { path: '/a#x', times: 1 },
    ]);
  });

  it.each([
    ['/desk#add', 'how it differs from its sibling'],
    ['/help#add', 'with the name of the product'],
  ])('says what to change where %s takes its place', (rival, advice) => {
    const found = findabilityOf('create', '/desk#create', [asked(rival), asked(rival, '/desk#create')]);
    const [finding] = checkFindability(desk, found, () => ({ name: 'add', description: 'Creates a ticket' }));
    expect(finding).toMatchObject({ rule: 'hard-to-find', tool: 'create' });
    expect(finding!.problem).toBe(`2 of 2 questions with its own words do not show it first: '${rival}' does.`);
    expect(finding!.advice).toContain(advice);
    expect(finding!.advice).toContain('Only this tool has: customer, name.');
  });

  it('has nothing to say about a tool that is found', () => {
    const found = findabilityOf('create', '/desk#create', [asked('/desk#create'), asked('/desk#create')]);
    expect(checkFindability(desk, found, () => undefined)).toEqual([]);
  });
});

describe('suggestedStart', () => {
  it('adds the product and the parameters that are not said', () => {
    expect(suggestedStart(desk, desk.tools[0]!)).toBe('Creates a ticket in Desk, by customer name.');
  });

  it('starts from the name of a tool without a description', () => {
    expect(suggestedStart(desk, { name: 'closeTicket', description: '' })).toBe('Close ticket in Desk.');
  });
});

describe('reportOf', () => {
  it('scores how a tool is written and how it is found, half each', () => {
    const share = (rank: 1 | 2) => [
      findabilityOf('create', '/desk#create', [rank === 1 ? asked('/desk#create') : asked('/a#x', '/desk#create')]),
    ];
    // Too short, a silent parameter, a vague name, no annotations.
    expect(reportOf(desk, [], []).score).toBe(35);
    expect(reportOf(desk, share(1), []).score).toBe(68);
    expect(reportOf(desk, share(2), []).score).toBe(43);
  });

  it('scores a server without tools by its own texts', () => {
    const empty = { ...desk, tools: [] };
    expect(reportOf(empty, [], [])).toMatchObject({ score: 100, findability: null });
  });
});
