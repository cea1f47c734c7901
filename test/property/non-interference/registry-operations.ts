import fc from 'fast-check';
import type { SearchRequestInput } from '../../../src/model/query/query.ts';
import { PRESETS } from '../../../src/search/plan/presets.ts';
import { everyOf } from '../../support/registry-outcome.ts';
import { maybe, type Operation, onOne, onTwo, operation, queryText, toolPath } from './operation.ts';
import { path, phrase, TAGS, type, word } from './world-words.ts';

const types = fc.uniqueArray(type, { minLength: 1, maxLength: 3 });
const statuses = fc.subarray(['active', 'beta', 'draft', 'deprecated'] as const, { minLength: 1 });
const tags = fc.subarray([...TAGS, 'secret-tag'], { minLength: 1, maxLength: 2 });
const facets = fc.constantFrom(['entity_type', 'tags', 'status', 'visibility'] as const, ['tags'] as const);

const searchRequest = fc
  .record({
    query: queryText,
    preset: maybe(fc.constantFrom(...Object.keys(PRESETS))),
    entity_types: maybe(types),
    tags: maybe(tags),
    statuses: maybe(statuses),
    max_results: maybe(fc.integer({ min: 1, max: 12 })),
    offset: maybe(fc.integer({ min: 0, max: 5 })),
    explain: maybe(fc.constant(true)),
    facets: maybe(facets),
    min_confidence: maybe(fc.constantFrom(0, 0.3)),
    weights: maybe(fc.constantFrom({ keyword: 1, vector: 0 }, { keyword: 0, vector: 1 }, { keyword: 1, vector: 3 })),
    drifted: maybe(maybe(fc.constant(true))),
    include_disabled: maybe(fc.constant(true)),
    with_prerequisites: maybe(fc.constant(true)),
  })
  .map((request) => JSON.parse(JSON.stringify(request)) as SearchRequestInput);

export const searches = searchRequest.map((request) =>
  operation('search', request, ({ registry }) => registry.search(request)),
);

export const entityReads: readonly fc.Arbitrary<Operation>[] = [
  onOne('get', ({ registry }, { type, path }) => registry.get(type, path)),
  onOne('rated', ({ registry }, { type, path }) => registry.rated(type, path)),
  onOne('rating', ({ registry }, { type, path }) => registry.rating(type, path)),
  onOne('relations', ({ registry }, { type, path }) => registry.relations(type, path)),
  onOne('relations of a tool', ({ registry }, { path }) => registry.relations('tool', `${path}#create_issue`)),
  onOne('versions', ({ registry }, { path }) => registry.versions(path)),
  onOne('isExample', ({ registry }, { type, path }) => registry.isExample(type, path)),
  toolPath.map((where) => operation('get tool', where, ({ registry }) => registry.get('tool', where))),
];

export const lists: readonly fc.Arbitrary<Operation>[] = [
  fc
    .record({ limit: fc.integer({ min: 1, max: 8 }), types: maybe(types), tags: maybe(tags), query: maybe(word) })
    .map((query) =>
      operation('pages', query, async ({ registry }) => {
        const first = await registry.page(query);
        return [first, first.cursor === undefined ? null : await registry.page({ ...query, after: first.cursor })];
      }),
    ),
  // What an export has.
  fc.constant(operation('all', [], ({ registry }) => everyOf(registry.all()))),
  fc
    .record({ type, limit: fc.integer({ min: 1, max: 5 }), offset: fc.nat(4), tags: maybe(tags), query: maybe(word) })
    .map((query) => operation('list', query, ({ registry }) => registry.list(query))),
  fc.constant(operation('tags', [], ({ registry }) => registry.tags())),
  word.map((query) => operation('searchSkills', query, ({ registry }) => registry.searchSkills({ query }))),
  word.map((skill) =>
    operation('discoverAgents', skill, ({ registry }) => registry.discoverAgents({ skills: [skill] })),
  ),
  fc
    .record({ type, name: phrase(2), description: phrase(8), path, url: path.map((p) => `https://acme.example${p}`) })
    .map((candidate) => operation('duplicates', candidate, ({ registry }) => registry.findDuplicates(candidate))),
  fc.constant(operation('sources', [], ({ registry }) => registry.sources())),
  fc.constant(operation('drift', [], ({ registry }) => registry.drift())),
  fc.constant(operation('map', [], ({ registry }) => registry.map())),
  fc.constant(operation('health', [], ({ registry }) => registry.health())),
  fc.constant(operation('missingVectors', [], ({ registry }) => registry.missingVectors({ limit: 5 }))),
  fc.constant(operation('staleVectors', [], ({ registry }) => registry.staleVectors())),
  type.map((kind) => operation('rows', kind, ({ registry }) => registry.rows(kind))),
  type.map((kind) => operation('annotated', kind, ({ registry }) => registry.annotated(kind, 'ratings'))),
];

export const recommendations: readonly fc.Arbitrary<Operation>[] = [
  fc
    .record({ query: phrase(4), entity_types: maybe(types) })
    .map((request) => JSON.parse(JSON.stringify(request)) as { query: string })
    .map((request) => operation('recommend', request, ({ registry }) => registry.recommend(request))),
  phrase(6).map((use_case) => operation('getStack', use_case, ({ registry }) => registry.getStack({ use_case }))),
  onTwo('compare', ({ registry }, a, b) => registry.compare({ entities: [a.id, b.id] })),
  onTwo('compatible', ({ registry }, a, b) => registry.compatible({ a: a.id, b: b.id })),
];

export const memoryReads: readonly fc.Arbitrary<Operation>[] = [
  fc
    .record({
      query: phrase(3),
      limit: fc.integer({ min: 1, max: 5 }),
      mode: fc.constantFrom('hybrid', 'semantic', 'exact'),
      include_debug: fc.boolean(),
    })
    .map((request) => operation('memories.search', request, ({ memories }) => memories.search(request))),
  fc
    .constantFrom(1, 2)
    .map((page) => operation('memories.list', page, ({ memories }) => memories.list({ page, page_size: 2 }))),
  fc.constant(operation('memories.counts', [], ({ memories }) => memories.counts())),
  fc.constant(operation('memories.audit', [], ({ memories }) => memories.audit())),
  path.map((hash) => operation('memories.get', hash, ({ memories }) => memories.get(hash))),
  phrase(5).map((content) => operation('memory events', content, ({ events }) => events(content))),
];
