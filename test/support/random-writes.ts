import fc from 'fast-check';
import type { Engine } from '../../src/engines/engine.ts';
import { type EntityInput, idOf, parseEntity, STATUSES } from '../../src/model/entity.ts';
import type { Filter } from '../../src/model/query/filter.ts';
import { embedMissing, indexed } from './engine-fixtures.ts';

const WORDS = [
  ...['database', 'databases', 'postgres', 'query', 'weather', 'forecast', 'fileSystem', 'read_file', 'HTTPServer'],
  ...['データ', '数据库', 'погода', 'café', 'node.js', 'gh', 's3', 'the', 'über', 'İstanbul', 'context7', '1.5'],
];
const word = fc.constantFrom(...WORDS);
export const phrase = (max: number) => fc.array(word, { minLength: 1, maxLength: max }).map((words) => words.join(' '));
const common = {
  path: fc.nat(79).map((n) => `/p${n}`),
  name: phrase(3),
  description: phrase(12),
  tags: fc.array(word, { maxLength: 2 }),
  metadata: fc.dictionary(word, word, { maxKeys: 2 }),
  status: fc.constantFrom(...STATUSES),
  is_enabled: fc.boolean(),
  visibility: fc.constantFrom('public', 'private', 'group-restricted'),
  owner: fc.constantFrom('ada', 'grace'),
  allowed_groups: fc.subarray(['ops', 'dev']),
};
const tool = fc.record({ name: phrase(2), description: phrase(6), examples: fc.array(phrase(3), { maxLength: 1 }) });
const entity = fc.oneof(
  fc.record({ ...common, type: fc.constant('mcp_server'), tools: fc.array(tool, { maxLength: 4 }) }),
  fc.record({ ...common, type: fc.constant('a2a_agent'), skills: fc.array(fc.record({ name: phrase(2) })) }),
  fc.record({ ...common, type: fc.constant('skill'), body: phrase(20).map((text) => `# ${text}\n${text}`) }),
  fc.record({ ...common, type: fc.constant('document'), body: phrase(20).map((text) => text.repeat(30)) }),
  fc.record({ ...common, type: fc.constant('tool') }),
) as fc.Arbitrary<EntityInput>;

export type Step =
  | { readonly do: 'put'; readonly entities: readonly EntityInput[]; readonly vectors: boolean }
  | { readonly do: 'delete'; readonly entities: readonly EntityInput[] }
  | { readonly do: 'embed' }
  | { readonly do: 'reopen' };
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put'), entities: batch(30), vectors: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete'), entities: batch(10) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('embed') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen') }) },
);

function batch(maxLength: number): fc.Arbitrary<readonly EntityInput[]> {
  return fc.uniqueArray(entity, { maxLength, size: 'max', selector: (input) => `${input.type}:${input.path}` });
}

export const FILTERS: readonly Filter[] = [
  {},
  { statuses: ['active', 'beta'], enabled: true },
  { types: ['tool', 'server_tool'], readers: ['public', 'group:ops'] },
  { readers: ['public'] },
  { tags: ['Database'], unitKinds: ['card', 'chunk'] },
];

/** Takes a step on an engine. `reopen` is left to the test. */
export async function take(engine: Engine, step: Step): Promise<void> {
  if (step.do === 'put')
    await engine.store.put(step.entities.map((input) => indexed(input, { vectors: step.vectors })));
  if (step.do === 'delete') await engine.store.delete(step.entities.map((input) => idOf(parseEntity(input).entity)));
  if (step.do === 'embed') await embedMissing(engine, 10_000);
}
