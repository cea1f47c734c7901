import fc from 'fast-check';
import { it } from 'vitest';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import type { Engine } from '../../src/engines/engine.ts';
import { MemoryEngine } from '../../src/engines/memory/memory-engine.ts';
import { type EntityInput, idOf, parseEntity, STATUSES } from '../../src/model/entity.ts';
import type { Filter } from '../../src/model/filter.ts';
import { expectAgreement } from '../support/engine-agreement.ts';
import { embedMissing, indexed, TOY_EMBEDDER, temporaryFolder } from '../support/engine-fixtures.ts';

const WORDS = [
  ...['database', 'databases', 'postgres', 'query', 'weather', 'forecast', 'fileSystem', 'read_file', 'HTTPServer'],
  ...['データ', '数据库', 'погода', 'café', 'node.js', 'gh', 's3', 'the', 'über', 'İstanbul', 'context7', '1.5'],
];
const word = fc.constantFrom(...WORDS);
const phrase = (max: number) => fc.array(word, { minLength: 1, maxLength: max }).map((words) => words.join(' '));
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

type Step =
  | { readonly do: 'put'; readonly entities: readonly EntityInput[]; readonly vectors: boolean }
  | { readonly do: 'delete'; readonly entities: readonly EntityInput[] }
  | { readonly do: 'embed' }
  | { readonly do: 'reopen' };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put'), entities: batch(30), vectors: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete'), entities: batch(10) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('embed') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen') }) },
);

function batch(maxLength: number): fc.Arbitrary<readonly EntityInput[]> {
  return fc.uniqueArray(entity, { maxLength, size: 'max', selector: (input) => `${input.type}:${input.path}` });
}

const FILTERS: readonly Filter[] = [
  {},
  { statuses: ['active', 'beta'], enabled: true },
  { types: ['tool', 'server_tool'], readers: ['public', 'group:ops'] },
  { readers: ['public'] },
  { tags: ['Database'], unitKinds: ['card', 'chunk'] },
];

async function take(engine: Engine, step: Step): Promise<void> {
  if (step.do === 'put')
    await engine.store.put(step.entities.map((input) => indexed(input, { vectors: step.vectors })));
  if (step.do === 'delete') await engine.store.delete(step.entities.map((input) => idOf(parseEntity(input).entity)));
  if (step.do === 'embed') await embedMissing(engine, 10_000);
}

it('the embedded engine answers as the memory engine does, after any writes and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 12, size: 'max' }),
      fc.array(phrase(3), { minLength: 2, maxLength: 3 }),
      async (steps, queries) => {
        const folder = temporaryFolder();
        const now = () => new Date(0);
        // A snapshot at some of the closes, so that starts from one, without one, and with more to replay all happen.
        const open = (n: number) =>
          openEmbedded({ dir: folder.path, embedder: TOY_EMBEDDER, now, snapshotAfterUnits: n % 2 === 0 ? 0 : 1e9 });
        const expected = new MemoryEngine({ embedder: TOY_EMBEDDER, now });
        let actual = await open(0);
        try {
          for (const [n, step] of steps.entries()) {
            await take(actual, step);
            await take(expected, step);
            if (step.do !== 'reopen') continue;
            await actual.close();
            actual = await open(n);
          }
          await expectAgreement(actual, expected, queries, FILTERS);
        } finally {
          await actual.close();
          folder.remove();
        }
      },
    ),
    { numRuns: 8 },
  );
}, 60_000);
