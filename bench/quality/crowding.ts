import { type LabeledQuery, readLabeledSet } from '../../src/eval/labeled-set.ts';
import { mean, ndcg } from '../../src/eval/metrics.ts';
import { pairedTest } from '../../src/eval/statistics.ts';
import type { Entity } from '../../src/model/entity.ts';
import type { SearchRequestInput } from '../../src/model/query/query.ts';
import type { Registry } from '../../src/registry/contract/registry.ts';
import { withRegistry } from './filled-registry.ts';
import { type KnownItem, knownItems, reciprocalRank } from './known-items.ts';
import { signed, table, three } from './markdown.ts';
import type { Section } from './section.ts';
import { readCorpus, spread } from './set-folders.ts';

const SERVERS = 'mcpm_examples';
const SKILLS = 'skills';
const AGENTS = 'a2a';
/** As many skills as servers: all of them would be a catalog of skills. */
const MAX_SKILLS = 380;
const ITEMS = 100;

/** One kind of question: how well it is answered, given what is added to the request. */
interface Kind {
  readonly name: string;
  readonly metric: string;
  readonly type: Entity['type'];
  readonly questions: readonly string[];
  answer(registry: Registry, at: number, request: SearchRequestInput): Promise<number>;
}

function labeled(queries: readonly LabeledQuery[]): Kind {
  return {
    name: 'questions for servers',
    metric: 'nDCG@10',
    type: 'mcp_server',
    questions: queries.map(({ text }) => text),
    async answer(registry, at, request) {
      const { text, relevant } = queries[at]!;
      const { results } = await registry.search({ query: text, max_results: 10, ...request });
      const isServer = (type: string) => type === 'mcp_server';
      return ndcg(
        results.map(({ entity_type, path }) => (isServer(entity_type) ? path : `${entity_type} ${path}`)),
        relevant,
      );
    },
  };
}

function known(name: string, type: Entity['type'], items: readonly KnownItem[]): Kind {
  return {
    name,
    metric: 'MRR',
    type,
    questions: items.map(({ query }) => query),
    answer: (registry, at, request) => reciprocalRank(registry, items[at]!, request),
  };
}

async function ask(registry: Registry, kind: Kind, request: SearchRequestInput): Promise<readonly number[]> {
  const values: number[] = [];
  for (let at = 0; at < kind.questions.length; at++) values.push(await kind.answer(registry, at, request));
  return values;
}

export const crowding: Section = {
  heading: 'Crowding',
  async measure({ sets, most, progress }) {
    const folders = [SERVERS, SKILLS, AGENTS].map((name) => sets.find((set) => set.name === name));
    if (folders.some((folder) => folder === undefined)) return [];
    progress.begin('crowding');
    const [servers, skills, agents] = (await Promise.all(folders.map((folder) => readCorpus(folder!)))) as [
      readonly Entity[],
      readonly Entity[],
      readonly Entity[],
    ];
    const someSkills = spread(skills, MAX_SKILLS);
    const { queries } = await readLabeledSet(folders[0]!.dir, { split: 'dev', maxQueries: most(1000) });
    const items = most(ITEMS);
    const kinds = [
      labeled(queries),
      ...(
        [
          ['servers', servers],
          ['skills', someSkills],
          ['agents', agents],
        ] as const
      ).flatMap(([name, entities]) =>
        (['name', 'description'] as const).map((by) =>
          known(`${name} by ${by}`, entities[0]!.type, knownItems(entities, by, items)),
        ),
      ),
    ];
    const entities = [...servers, ...someSkills, ...agents];
    const questions = kinds.flatMap((kind) => kind.questions);
    const rows = await withRegistry({ entities, questions, progress }, async (registry) => {
      const found: string[][] = [];
      for (const kind of kinds) {
        progress.step(kind.name);
        const mixed = await ask(registry, kind, {});
        const filtered = await ask(registry, kind, { entity_types: [kind.type] });
        const { difference, p } = pairedTest(filtered, mixed);
        const figures = [three(mean(mixed)), three(mean(filtered)), `${signed(difference)} (${p.toFixed(3)})`];
        found.push([kind.name, String(kind.questions.length), kind.metric, ...figures]);
      }
      return found;
    });
    progress.end(`${rows.length} kinds of questions`);
    return [
      `What does a mixed catalog cost? ${servers.length} servers, ${someSkills.length} skills and ${agents.length} agents in one registry; each query is searched in all types at`,
      'once, as by a caller who does not know the type of the answer, and with a filter for the right type. Known items are searched',
      'by their name and by the first twelve words of their description.',
      '',
      ...table(['asked for<', 'questions', 'figure<', 'all types', 'with the filter', 'difference (p)'], rows),
      '',
    ];
  },
};
