/** A request that a careless or hostile client may send. */
export interface HostileRequest {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
const json = (name: string, path: string, body: unknown, method = 'POST'): HostileRequest => ({
  name,
  method,
  path,
  type: 'application/json',
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
/** Words as a language has them: few of them often, most of them seldom. */
const text = (chars: number, seed: number): string => {
  const words: string[] = [];
  let length = 0;
  for (let n = seed; length < chars; n++) {
    const spread = ((n * 2_654_435_761) % 2 ** 32) / 2 ** 32;
    const word = `w${Math.floor(30_000 ** spread).toString(36)}ord`;
    words.push(word);
    length += word.length + 1;
  }
  return words.join(' ');
};
const BATCH = '/api/entities:batch?vectors=later';
const documents = Array.from({ length: 780 }, (_, n) => ({
  type: 'document',
  path: `/document-${n}`,
  name: `document ${n}`,
  body: text(10_000, n * 2000),
}));
const servers = Array.from({ length: 1000 }, (_, n) => ({
  type: 'mcp_server',
  path: `/server-${n}`,
  name: `server ${n}`,
  tools: Array.from({ length: 37 }, (_, t) => ({ name: `tool_${n}_${t}`, description: text(150, n * 1000 + 20 * t) })),
}));
const SERVER = { type: 'mcp_server', path: '/x', name: 'X' };
const SEARCH = '/api/search/semantic';
const skill = (head: string) => ({ content: `---\nname: a\ndescription: d\n${head}\n---\n` });
const form = (name: string, body: string): HostileRequest => ({
  name,
  method: 'POST',
  path: '/api/servers/register',
  type: 'application/x-www-form-urlencoded',
  body,
});

/** Each of these stopped an earlier version for seconds, or is a near relative. */
export const HOSTILE: readonly HostileRequest[] = [
  json('200,000 metadata keys', '/api/entities', { ...SERVER, metadata: fields(200_000) }),
  json('300,000 unknown fields', '/api/entities', { ...SERVER, ...fields(300_000) }),
  json('a search with 300,000 fields', SEARCH, { query: 'x', ...fields(300_000) }),
  json('a million numbers', SEARCH, { tags: Array(1e6).fill(0) }),
  json('100,000 levels', SEARCH, `{"tags": ${'['.repeat(1e5)}${']'.repeat(1e5)}}`),
  json('brackets without an end', SEARCH, '['.repeat(4e6)),
  json('a string without an end', SEARCH, `{"query": "${'x'.repeat(4e6)}`),
  json('90,000 commas of YAML', '/api/skills/parse-skill-md', skill(`tags: [${','.repeat(90_000)}]`)),
  json('15,000 brackets of YAML', '/api/skills/parse-skill-md', skill(`tags: ${'['.repeat(15_000)}`)),
  json(
    '950 keys of YAML',
    '/api/skills/parse-skill-md',
    skill(Array.from({ length: 950 }, (_, i) => `k${i}: 1`).join('\n')),
  ),
  json('metadata at its limits', '/api/entities', { ...SERVER, metadata: fields(2000) }),
  json('12 schemas at their limits', '/api/entities', {
    ...SERVER,
    tools: Array(12).fill({ name: 'a', inputSchema: { a: Array(20_000).fill(1) } }),
  }),
  json('a batch of 8 MB', BATCH, { entities: documents }),
  json('the same batch with other texts', BATCH, {
    entities: documents.map((document, n) => ({ ...document, body: text(10_000, n * 2000 + 777) })),
  }),
  json('a batch of 37,000 tools', BATCH, { entities: servers }),
  json('a document of 7 MB', '/api/entities?vectors=later', {
    type: 'document',
    path: '/long',
    name: 'long',
    body: text(7_000_000, 1),
  }),
  form('a field 100,000 times', `name=a&${'tags=x&'.repeat(100_000)}`),
  json('an MCP call with 300,000 fields', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: fields(300_000),
  }),
];

/** What a client of MCP must accept. */
const ACCEPTED = 'application/json, text/event-stream';

/** Returns the status. */
export async function sendHostile(url: string, { method, path, type, body }: HostileRequest): Promise<number> {
  const given = method === 'GET' ? {} : { headers: { 'Content-Type': type, Accept: ACCEPTED }, body };
  const response = await fetch(`${url}${path}`, { method, ...given });
  await response.arrayBuffer();
  return response.status;
}
