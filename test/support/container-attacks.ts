import { OPERATION_RIGHTS } from '../../src/api/routes/rights.ts';
import { type OperationName, ROUTES } from '../../src/api/routes/routes.ts';

/**
 * What a second writer may try with the public entities of a first one: add to them, replace a part of them, take their place,
 * remove them. One row for each operation that needs the right to write.
 */
export type Ask = (
  method: string,
  path: string,
  options: { readonly key: string; readonly body?: unknown },
) => Promise<{ readonly status: number; readonly text: string; readonly json: unknown }>;

interface Attack {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
}

const TEXT = 'The merger is near.';
export const fileOf = (id: string, path: string, text = TEXT) => ({
  id: id.padEnd(16, '0'),
  path,
  size: text.length,
  mtime_ms: 0,
  hash: id,
  content: {
    title: path,
    format: 'markdown',
    text,
    chunks: [{ id: 'c1', start_char: 0, end_char: text.length, from_line: 1, to_line: 1 }],
  },
});

const TOOLS = [{ name: 'pay', description: 'Pays an invoice.' }];
const SERVER = {
  type: 'mcp_server',
  path: '/pay',
  name: 'pay',
  description: 'Payments',
  version: '1.0.0',
  tools: TOOLS,
  proxy_pass_url: 'http://127.0.0.1:1/mcp',
};
const AGENT = {
  type: 'a2a_agent',
  path: '/planner',
  name: 'planner',
  description: 'Plans',
  url: 'http://127.0.0.1:1/',
};
const SKILL = { type: 'skill', path: '/release', name: 'release', description: 'Releases', body: '# Release' };
const MAPPINGS = [{ tool_name: 'pay', backend_server_path: '/pay' }];
const VIRTUAL = {
  type: 'virtual_server',
  path: '/virtual/desk',
  name: 'desk',
  description: 'Desk',
  tool_mappings: MAPPINGS,
};
const OWNED = [SERVER, AGENT, SKILL, VIRTUAL] as const;
const COLLECTION = { type: 'document', path: '/collections/plans' } as const;
const FILE = { type: 'document', path: `/files/${'a1'.padEnd(16, '0')}` } as const;
const MEMORY_TEXT = 'The release day is Tuesday.';

/** The content hashes of the memories of the first writer. */
export interface Memories {
  readonly memory: string;
  /** It supersedes `superseded`. */
  readonly current: string;
  readonly superseded: string;
}

/** Stores what the first writer owns. */
export async function fillOwned(ask: Ask, key: string): Promise<Memories> {
  const done = async (method: string, path: string, body: unknown) => {
    const answer = await ask(method, path, { key, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json as { content_hash?: string };
  };
  for (const entity of OWNED) await done('POST', '/api/entities', { visibility: 'public', ...entity });
  await done('POST', '/api/collections', { name: 'plans' });
  await done('POST', '/api/collections/plans/files:batch', { put: [fileOf('a1', 'a.md')] });
  await done('POST', '/api/servers/register', { ...SERVER, version: '2.0.0' });
  const store = async (content: string, supersedes?: string) =>
    (await done('POST', '/api/memory:store', { content, supersedes })).content_hash ?? '';
  const superseded = await store('The release day is Monday.');
  return { superseded, current: await store('The desk opens at nine.', superseded), memory: await store(MEMORY_TEXT) };
}

/** Everything that readers see of it. */
export async function ownedState(ask: Ask, key: string, { memory }: Memories): Promise<string> {
  const seen: unknown[] = [];
  const read = async (method: string, path: string, body?: unknown) => {
    const { status, json } = await ask(method, path, { key, ...(body === undefined ? {} : { body }) });
    seen.push([path, status, json]);
  };
  for (const { type, path } of [...OWNED, COLLECTION, FILE]) {
    await read('GET', `/api/entities/${type}/${encodeURIComponent(path)}`);
    await read('GET', `/api/graph/entities/${type}/${encodeURIComponent(path)}`);
  }
  await read('GET', '/api/servers/pay/versions');
  await read('GET', '/api/collections/plans/sources');
  await read('GET', '/api/collections/plans/documents/a.md');
  await read('GET', '/api/collections/plans/stats');
  await read('POST', '/api/collections/plans/search', { query: 'merger' });
  await read('POST', '/api/search/tools', { query: 'pays an invoice' });
  await read('POST', '/api/memory:get', { content_hash: memory });
  // How long it took, and what the attacker may change: its vote, and what it said of its own.
  return JSON.stringify(seen, (field, value) =>
    ['duration_ms', 'took_ms', 'timings', 'ratings', 'num_stars', 'rating_details', 'rating', 'revision'].includes(
      field,
    )
      ? undefined
      : value,
  );
}

const each = <T>(make: (entity: Record<string, unknown> & { type: string; path: string }) => T): T[] =>
  [...OWNED, { ...COLLECTION, name: 'plans' }, { ...FILE, name: 'a.md', body: 'forged' }].map((entity) => make(entity));
const typed = ({ type, path }: { type: string; path: string }) => ({ type, path });
const FORGED = [
  { type: 'document', path: '/files/f1', name: 'a.md', body: TEXT, files: [{ collection: 'plans', path: 'a.md' }] },
  { type: 'document', path: '/forged', name: 'b.md', body: TEXT, files: [{ collection: 'Plans', path: 'b.md' }] },
  { type: 'tool', path: '/forged', name: 'pay', description: 'Pays an invoice.', server_path: '/pay' },
  { type: 'tool', path: '/forged2', name: 'pay', description: 'Pays an invoice.', server_path: 'pay/' },
] as const;
const forged = (memory: string) => [
  ...FORGED,
  { type: 'memory', path: '/forged', content: 'The release day is Friday.', supersedes: [`/${memory}`] },
];

/** Anyone who may write and sees an entity may do these. They change nothing that it says. */
export const ALLOWED: readonly OperationName[] = [
  'rateEntity',
  'rateServer',
  'rateAgent',
  'rateSkill',
  'rateVirtualServer',
  'reportOutcome',
  // Reads a server again, at the address that its owner wrote.
  'refreshServer',
  // What they make is the writer's own.
  'storeSession',
  'storeMemories',
  'createCollection',
  'submitAgentBatch',
];

/** They only create: what is there is never replaced. */
export const CREATE_ONLY: readonly OperationName[] = ['registerAgent', 'registerSkill', 'createVirtualServer'];

export const WRITE_OPERATIONS = (Object.keys(OPERATION_RIGHTS) as OperationName[]).filter(
  (name) => OPERATION_RIGHTS[name] === 'write',
);

export function attacksOf({
  memory,
  current,
  superseded,
}: Memories): Partial<Record<OperationName, readonly Attack[]>> {
  const rate = (path: string) => [{ params: { path }, body: { rating: 1 } }];
  const toggle = (path: string) => [{ params: { path }, query: '?enabled=false', body: { enabled: false } }];
  const change = (path: string) => [{ params: { path }, body: { description: 'forged' } }];
  const put = (entity: { path: string }) => [
    { params: { path: entity.path }, body: { ...entity, description: 'forged' } },
  ];
  const hash = { content_hash: memory };
  return {
    addEntity: [...each((entity) => ({ body: entity })), ...forged(memory).map((body) => ({ body }))],
    rateEntity: each((entity) => ({ params: typed(entity), body: { rating: 1 } })),
    putEntity: [
      ...each((entity) => ({ params: typed(entity), body: { ...entity, description: 'forged' } })),
      ...forged(memory).map((body) => ({ params: typed(body), body })),
    ],
    patchEntity: each((entity) => ({ params: typed(entity), body: { description: 'forged' } })),
    deleteEntity: each((entity) => ({ params: typed(entity) })),
    putEntities: [
      ...each((entity) => ({ body: { entities: [entity] } })),
      ...forged(memory).map((entity) => ({ body: { entities: [entity] } })),
    ],
    registerEntity: [
      ...each((entity) => ({ query: '?overwrite=true', body: entity })),
      ...forged(memory).map((entity) => ({ body: entity })),
    ],
    acceptDrift: [{ params: typed(SERVER) }],
    reportOutcome: [{ body: { chosen_tool: '/pay', outcome: 'failure' } }],
    registerServer: [{ body: { ...SERVER, overwrite: true } }, { body: { ...SERVER, version: '2.0.0' } }],
    toggleServerByForm: [{ params: { path: 'pay' }, body: { enabled: false } }],
    toggleServer: [{ body: { path: '/pay', new_state: false } }],
    removeServer: [{ body: { path: '/pay' } }],
    setDefaultServerVersion: [{ params: { path: 'pay' }, body: { version: '1.0.0' } }],
    removeServerVersion: [{ params: { path: 'pay', version: '2.0.0' } }],
    rateServer: rate('pay'),
    putServer: put({ ...SERVER }),
    patchServer: change('pay'),
    deleteServer: [{ params: { path: 'pay' } }],
    registerAgent: [{ body: { ...AGENT, overwrite: true } }],
    submitAgentBatch: [],
    pullAgentCard: [{ params: { path: 'planner' } }],
    toggleAgent: toggle('planner'),
    rateAgent: rate('planner'),
    putAgent: put({ ...AGENT }),
    patchAgent: change('planner'),
    deleteAgent: [{ params: { path: 'planner' } }],
    registerSkill: [{ body: SKILL }],
    toggleSkill: toggle('release'),
    rateSkill: rate('release'),
    putSkill: put({ ...SKILL }),
    patchSkill: change('release'),
    deleteSkill: [{ params: { path: 'release' } }],
    createVirtualServer: [{ body: { server_name: 'desk', path: VIRTUAL.path, tool_mappings: MAPPINGS } }],
    toggleVirtualServer: toggle('virtual/desk'),
    rateVirtualServer: rate('virtual/desk'),
    putVirtualServer: put({ ...VIRTUAL }),
    patchVirtualServer: change('virtual/desk'),
    deleteVirtualServer: [{ params: { path: 'virtual/desk' } }],
    refreshServer: [{ params: { path: 'pay' } }],
    editServer: [{ params: { path: 'pay' }, body: SERVER }],
    registerServerByForm: [{ body: SERVER }],
    storeMemory: [{ body: { content: 'The release day is Friday.', supersedes: memory } }],
    storeSession: [{ body: { turns: [{ role: 'user', content: 'The release day is Friday.' }] } }],
    updateMemory: [{ body: { ...hash, changes: { tags: ['forged'] } } }],
    supersedeMemory: [{ body: { ...hash, by: current } }],
    undoSupersede: [{ body: { content_hash: superseded } }],
    forgetMemories: [{ body: hash }, { body: { ...hash, purge: true } }],
    storeMemories: [{ body: { memories: [{ content: 'The release day is Friday.' }] } }],
    createCollection: [{ body: { name: 'plans' } }, { body: { name: 'PLANS' } }],
    putFiles: [
      { params: { name: 'plans' }, body: { put: [fileOf('f1', 'b.md')] } },
      { params: { name: 'plans' }, body: { put: [fileOf('f2', 'a.md')] } },
      { params: { name: 'plans' }, body: { put: [fileOf('a1', 'a.md', 'forged')] } },
      { params: { name: 'plans' }, body: { remove: [fileOf('a1', 'a.md').id] } },
      { params: { name: 'plans' }, body: { unread: [] } },
      { params: { name: 'plans' }, body: { scanned: true } },
    ],
    changeCollection: [{ params: { name: 'plans' }, body: { notes: [{ folder: '', note: 'forged' }] } }],
    removeCollection: [{ params: { name: 'plans' } }],
  };
}

export interface Attempt {
  readonly operation: OperationName;
  readonly status: number;
  readonly text: string;
}

/** Sends every attack, and gives how each was answered. */
export async function attackAll(ask: Ask, key: string, memories: Memories): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = [];
  for (const [operation, attacks] of Object.entries(attacksOf(memories)) as [OperationName, readonly Attack[]][]) {
    const { method, path } = ROUTES[operation];
    for (const { params = {}, query = '', body } of attacks) {
      const url = path.replaceAll(/\{(\w+)\*?\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
      const { status, text } = await ask(method, url + query, { key, ...(body === undefined ? {} : { body }) });
      attempts.push({ operation, status, text: text.slice(0, 300) });
    }
  }
  return attempts;
}
