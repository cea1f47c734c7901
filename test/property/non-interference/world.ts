import fc from 'fast-check';
import type { Caller } from '../../../src/model/caller/caller.ts';
import { type EntityInput, STATUSES } from '../../../src/model/entity.ts';
import { collection, remembered } from './world-contents.ts';
import { path, phrase, reach, TAGS, type TYPES, type, word } from './world-words.ts';

const name = fc.oneof(word, fc.constantFrom('list_issues', 'create_issue', 'issueId'));

const schema = (fields: readonly string[]) => ({
  type: 'object',
  required: fields,
  properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
});
const tool = fc.record({
  name,
  description: phrase(6),
  inputSchema: fc.constantFrom({}, schema(['issueId']), schema(['repositoryId', 'issueId'])),
  outputSchema: fc.constantFrom({}, schema(['issueId']), schema(['repositoryId'])),
});
const relation = fc.record({
  type: fc.constantFrom('REQUIRES', 'POPULAR_WITH', 'REPLACES'),
  target: fc.tuple(type, path).map(([kind, at]) => `${kind}:${at}`),
});
const common = {
  path,
  name: phrase(2),
  description: phrase(10),
  tags: fc.subarray([...TAGS], { maxLength: 2 }),
  metadata: fc.dictionary(word, word, { maxKeys: 1 }),
  status: fc.constantFrom(...STATUSES, 'active', 'active', 'active'),
  is_enabled: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
  relations: fc.array(relation, { maxLength: 2 }),
};
const own = <T extends (typeof TYPES)[number]>(kind: T, fields: Record<string, fc.Arbitrary<unknown>> = {}) =>
  fc.record({ type: fc.constant(kind), ...common, ...fields });
const tools = fc.array(tool, { maxLength: 3 });

/** One entity, in every type and reach. */
export const entity = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: own('mcp_server', { tools, url: path.map((at) => `https://acme.example${at}`) }) },
      own('virtual_server', {
        tool_mappings: fc.array(fc.record({ tool_name: name, backend_server_path: path }), { maxLength: 3 }),
      }),
      own('a2a_agent', { skills: fc.array(fc.record({ id: word, name: word }), { maxLength: 2 }) }),
      { weight: 2, arbitrary: own('skill', { body: phrase(20).map((text) => `# ${text}\n${text}`) }) },
      own('tool'),
      own('package', {
        package_name: word,
        ecosystem: fc.constant('npm'),
        metadata: fc.record({ dependencies: fc.array(word, { maxLength: 2 }) }),
      }),
      own('document', { body: phrase(20) }),
      own('memory', { content: phrase(8) }),
    ),
    reach,
  )
  .map(([fields, who]) => ({ ...fields, ...who }) as unknown as EntityInput & { readonly path: string });

/** How an entity gets there: by hand, or by the reading of a source, whose later reading may differ. */
const arrival = fc.record({
  entity,
  source: fc.option(fc.constantFrom('https://one.example', 'https://two.example'), { freq: 3, nil: null }),
  drifts: fc.boolean(),
  dies: fc.boolean(),
  rated: fc.boolean(),
  unembedded: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  /** Of a server, besides its default version. */
  versions: fc.uniqueArray(fc.record({ version: fc.constantFrom('2.0.0', '3.0.0'), reach, description: phrase(3) }), {
    maxLength: 1,
    selector: ({ version }) => version,
  }),
});
export type Arrival = typeof arrival extends fc.Arbitrary<infer A> ? A : never;

const edge = fc.record({
  source: fc.tuple(type, path),
  target: fc.tuple(type, path),
  type: fc.constantFrom('REQUIRES', 'POPULAR_WITH', 'INTEGRATES_WITH'),
  weight: fc.integer({ min: 1, max: 5 }),
});
export type WorldEdge = typeof edge extends fc.Arbitrary<infer E> ? E : never;

/** With and without a name, with the scopes of a writer, of a reader, and without any limit of scopes. */
const CALLERS: readonly Caller[] = [
  { readers: ['public'] },
  { readers: ['public'], scopes: ['read'] },
  { readers: ['public', 'user:eve'], name: 'eve', scopes: ['read', 'write'] },
  { readers: ['public', 'user:ada'], name: 'ada', scopes: ['read', 'write'] },
  { readers: ['public', 'user:eve', 'group:ops'], name: 'eve', scopes: ['read', 'write'] },
  { readers: ['public', 'group:ops'] },
  { readers: ['public', 'group:dev', 'user:bob'] },
  // No request has such a caller. The registry must hold for it too.
  { readers: [] },
];

/** A registry, its caller, and how many private servers of one kind are beside the rest. */
export const world = fc.record({
  engine: fc.constantFrom('embedded', 'embedded', 'embedded', 'memory'),
  caller: fc.constantFrom(...CALLERS),
  arrivals: fc.uniqueArray(arrival, {
    minLength: 4,
    maxLength: 36,
    size: 'max',
    selector: (one) => `${one.entity.type}:${one.entity.path}`,
  }),
  flood: fc.record({ count: fc.constantFrom(0, 0, 5, 40), word, tag: fc.constantFrom(...TAGS), every: fc.nat(5) }),
  edges: fc.array(edge, { maxLength: 12 }),
  collections: fc.uniqueArray(collection, { minLength: 1, maxLength: 3, selector: (one) => one.name }),
  remembered: fc.uniqueArray(remembered, {
    maxLength: 6,
    selector: ({ content, namespace }) => `${namespace}/${content}`,
  }),
});
export type World = typeof world extends fc.Arbitrary<infer W> ? W : never;
