import fc from 'fast-check';
import { type EntityInput, STATUSES } from '../../../src/model/entity.ts';

/** Few words, so that hidden and visible entities share them; with typos, stems and identifiers. */
export const WORDS = [
  ...['weather', 'wether', 'weathers', 'forecast', 'forecats', 'merger', 'mergers', 'database', 'databases', 'databse'],
  ...['postgres', 'query', 'read_file', 'get_weather', 'getWeather', 'D40', 'PII-2024-0042', 'context7', 'node.js'],
  ...['river', 'map', 'atlas', 'the', 'погода', '天気予報', 'acme-tools', '@acme/tools', 'issue', 'create_issue'],
] as const;
export const TAGS = ['merger', 'weather', 'maps', 'Data', 'ops'] as const;
export const MAX_PATHS = 10;

export const word = fc.constantFrom(...WORDS);
export const phrase = (max: number) => fc.array(word, { minLength: 1, maxLength: max }).map((words) => words.join(' '));
export const path = fc.nat(MAX_PATHS - 1).map((n) => (n % 4 === 0 ? `/acme/p${n}` : `/p${n}`));
const TYPES = ['mcp_server', 'virtual_server', 'a2a_agent', 'skill', 'tool', 'package', 'document', 'memory'] as const;
export const type = fc.constantFrom(...TYPES, 'mcp_server', 'mcp_server', 'mcp_server', 'skill');
const name = fc.constantFrom(...WORDS, 'list_issues', 'create_issue', 'issueId');

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
const reach = fc.constantFrom(
  { visibility: 'public' },
  { visibility: 'public' },
  { visibility: 'public' },
  { visibility: 'public', owner: 'ada' },
  { visibility: 'private', owner: 'ada' },
  { visibility: 'private', owner: 'bob' },
  { visibility: 'group-restricted', allowed_groups: ['ops'] },
  { visibility: 'group-restricted', allowed_groups: ['dev'], owner: 'ada' },
);
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
});
export type Arrival = typeof arrival extends fc.Arbitrary<infer A> ? A : never;

const edge = fc.record({
  source: fc.tuple(type, path),
  target: fc.tuple(type, path),
  type: fc.constantFrom('REQUIRES', 'POPULAR_WITH', 'INTEGRATES_WITH'),
  weight: fc.integer({ min: 1, max: 5 }),
});
export type WorldEdge = typeof edge extends fc.Arbitrary<infer E> ? E : never;

/** A registry, its caller, and how many private servers of one kind are beside the rest. */
export const world = fc.record({
  engine: fc.constantFrom('embedded', 'embedded', 'embedded', 'memory'),
  readers: fc.constantFrom(
    ...[['public'], ['public'], ['public', 'user:ada'], ['public', 'group:ops'], ['group:dev', 'user:bob'], []],
  ),
  arrivals: fc.uniqueArray(arrival, {
    minLength: 4,
    maxLength: 36,
    size: 'max',
    selector: (one) => `${one.entity.type}:${one.entity.path}`,
  }),
  flood: fc.record({ count: fc.constantFrom(0, 0, 5, 40), word, tag: fc.constantFrom(...TAGS), every: fc.nat(5) }),
  edges: fc.array(edge, { maxLength: 12 }),
});
export type World = typeof world extends fc.Arbitrary<infer W> ? W : never;
