import { describe, expect, it } from 'vitest';
import { parseEntity } from '../../../src/model/entity.ts';
import { parseQuestion, readQuestions, readToolPaths, toolPathsOf } from './read-questions.ts';

/** The least the set promises, so that a figure measured on it means something. */
const MIN_QUESTIONS = 200;
const MIN_SERVERS = 80;
const MIN_WITH_WRONG_TOOLS = 60;
const MIN_UNANSWERABLE = 10;

/** Questions that once showed the wrong tool; the set keeps them. */
const SEEN_WRONG = [
  'create a GitHub issue',
  'open a new github issue',
  'remember facts between conversations',
  'show git history',
  'search arxiv papers',
  'generate images with stable diffusion',
  "what's on my calendar",
  'who reviewed this merge request',
  'find similar code in the repo',
  'grafana dashboards',
  'deploy the site to Vercel',
  'book a meeting for tomorrow',
  'restart a deployment',
  'I want to book a flight',
  'control a browser',
];

const serverOf = (path: string): string => path.split('#')[0]!;
const isRealServer = (path: string): boolean => path.includes('#') && !path.startsWith('/virtual/');

describe('the labeled questions about tools', () => {
  // Reading checks every label against the catalog.
  const questions = readQuestions();

  it('are many, and ask for tools of most servers', () => {
    const servers = new Set(questions.flatMap(({ tools }) => tools.filter(isRealServer).map(serverOf)));
    expect(questions.length).toBeGreaterThanOrEqual(MIN_QUESTIONS);
    expect(servers.size).toBeGreaterThanOrEqual(MIN_SERVERS);
  });

  it('ask nothing twice', () => {
    const queries = questions.map(({ query }) => query.toLowerCase());
    expect(queries.filter((query, i) => queries.indexOf(query) !== i)).toEqual([]);
  });

  it('name enough wrong tools, and include questions without a right one', () => {
    expect(questions.filter(({ not }) => not.length > 0).length).toBeGreaterThanOrEqual(MIN_WITH_WRONG_TOOLS);
    expect(questions.filter(({ tools }) => tools.length === 0).length).toBeGreaterThanOrEqual(MIN_UNANSWERABLE);
  });

  it('include every question that once showed the wrong tool', () => {
    expect(questions.map(({ query }) => query)).toEqual(expect.arrayContaining(SEEN_WRONG));
  });
});

describe('a labeled question', () => {
  const paths = readToolPaths();
  const parse = (labels: object) => parseQuestion(JSON.stringify({ query: 'q', why: 'w', ...labels }), paths);

  it('may name tools of servers, mapped tools and stand-alone tools', () => {
    const tools = ['/github#issue_write', '/virtual/developer-desk#open_issue', '/tools/qr-code'];
    expect(parse({ tools })).toEqual({ query: 'q', tools, not: [], why: 'w' });
  });

  it.each([
    ['a tool that does not exist', '/github#issue_read'],
    ['a mapped tool by the name behind its alias', '/virtual/developer-desk#issue_write'],
    ['a server', '/github'],
    ['a tool of a deprecated server', '/gitlab-reference#create_issue'],
    ['a tool of a draft', '/example-release-notes#collect_changes'],
    ['a mapped tool of a draft', '/virtual/long-term-memory#remember'],
  ])('may not name %s', (_, path) => {
    expect(() => parse({ tools: [path] })).toThrow(`no tool ${path}`);
    expect(() => parse({ tools: [], not: [path] })).toThrow(`no tool ${path}`);
  });

  it('may not name a tool that is disabled', () => {
    const tool = { type: 'tool', path: '/tools/abacus', name: 'abacus', description: 'Counts.' };
    expect(toolPathsOf(parseEntity(tool).entity)).toEqual(['/tools/abacus']);
    expect(toolPathsOf(parseEntity({ ...tool, is_enabled: false }).entity)).toEqual([]);
  });

  it('may not call one tool right and wrong, nor name it twice', () => {
    expect(() => parse({ tools: ['/time#convert_time'], not: ['/time#convert_time'] })).toThrow('only once');
    expect(() => parse({ tools: ['/time#convert_time', '/time#convert_time'] })).toThrow('only once');
  });

  it('has no field but those four, and needs a reason', () => {
    expect(() => parse({ tools: [], wrong: [] })).toThrow('wrong');
    expect(() => parse({ tools: [], why: '' })).toThrow('why');
  });
});
