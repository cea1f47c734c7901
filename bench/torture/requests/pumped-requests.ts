import { CountedExpression } from '../../../test/support/expressions/count-steps.ts';
import { pumpsOf } from '../../../test/support/expressions/pumped-texts.ts';
import { sourceExpressions } from '../../../test/support/expressions/source-expressions.ts';
import type { HostileRequest } from './hostile-requests.ts';

/** The repeated parts that keep most expressions of the sources busy. */
export function commonRuns(count: number): readonly string[] {
  const uses = new Map<string, number>();
  for (const { expression } of sourceExpressions('src')) {
    if (expression === undefined) continue;
    const runs = new Set(pumpsOf(expression, new CountedExpression(expression)).map(({ repeated }) => repeated));
    for (const run of runs) if (run.length <= 16) uses.set(run, (uses.get(run) ?? 0) + 1);
  }
  const sorted = [...uses].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([run]) => run);
  // What held an earlier version for seconds.
  return [...new Set([' ', '-eyJ', '0', '# ', '/', ...sorted])].slice(0, count);
}

/** A field of a request that takes a long text, with the longest that it allows. */
interface Place {
  readonly name: string;
  readonly maxChars: number;
  request(text: string): Omit<HostileRequest, 'name' | 'type'>;
}

const post = (path: string, body: unknown) => ({ method: 'POST', path, body: JSON.stringify(body) });
const call = (name: string, given: Readonly<Record<string, unknown>>) =>
  post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } });
const SERVER = { type: 'mcp_server', path: '/pumped', name: 'pumped' };
const entity = (fields: object) => post('/api/entities?vectors=later', { ...SERVER, ...fields });

const PLACES: readonly Place[] = [
  { name: 'a query', maxChars: 8000, request: (query) => post('/api/search/semantic', { query }) },
  { name: 'a query over MCP', maxChars: 8000, request: (query) => call('search_tools', { query }) },
  { name: 'tags of memories', maxChars: 80_000, request: (tags) => post('/api/memory:search', { query: 'x', tags }) },
  { name: 'a memory', maxChars: 30_000, request: (content) => post('/api/memory:store', { content }) },
  { name: 'a query of memories', maxChars: 4000, request: (query) => post('/api/memory:search', { query }) },
  { name: 'a description', maxChars: 60_000, request: (description) => entity({ description }) },
  {
    name: '12 texts of metadata',
    maxChars: 20_000,
    request: (text) => entity({ metadata: Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`k${n}`, text])) }),
  },
  { name: 'a repository', maxChars: 2000, request: (repository) => entity({ repository, homepage: repository }) },
  { name: 'a license', maxChars: 15_000, request: (license) => entity({ license }) },
  {
    name: 'a skill',
    maxChars: 200_000,
    request: (body) => post('/api/entities?vectors=later', { type: 'skill', path: '/pumped', name: 'pumped', body }),
  },
  {
    name: 'a heading of a skill',
    maxChars: 80_000,
    request: (text) =>
      post('/api/entities?vectors=later', { type: 'skill', path: '/pumped', name: 'pumped', body: `# a${text}b` }),
  },
  {
    name: 'the front matter of a skill',
    maxChars: 15_000,
    request: (text) => post('/api/skills/parse-skill-md', { content: `---\nname: a\ndescription: a${text}b\n---\n` }),
  },
  { name: 'a path', maxChars: 12_000, request: (text) => ({ method: 'GET', path: `/${encodeURI(text)}`, body: '' }) },
  {
    name: 'a tool name over MCP',
    maxChars: 80_000,
    request: (name) => call(name, {}),
  },
];

export const PLACE_NAMES = PLACES.map(({ name }) => name);

/** The requests of one place: each run alone, and between two letters. */
export function pumpedRequests(place: string, runs: readonly string[]): readonly HostileRequest[] {
  const { maxChars, request } = PLACES.find(({ name }) => name === place)!;
  return runs.flatMap((run) => {
    // Half a character cannot be sent.
    const wellFormed = Buffer.from(run).toString();
    // A character of a URL may take nine.
    const chars = place === 'a path' ? maxChars / encodeURI(wellFormed).length : maxChars / run.length;
    const repeated = wellFormed.repeat(Math.max(1, Math.floor(chars) - 2));
    return [repeated, `a${repeated}b`].map((text) => ({
      name: `${place}: ${JSON.stringify(run)}`,
      type: 'application/json',
      ...request(text.slice(0, maxChars)),
    }));
  });
}
