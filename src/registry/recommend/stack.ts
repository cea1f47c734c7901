import { entityId } from '../../model/entity.ts';
import { stabilityOf } from '../../model/entity-health.ts';
import { facetsOf } from '../../model/facets.ts';
import { parseWith } from '../../model/parse.ts';
import { composeStack, needsIn } from '../../recommend/compose-stack.ts';
import { edgeWords } from '../../recommend/edge-words.ts';
import { nodesNamed } from '../graph/nodes-named.ts';
import type { ResolvedNode } from '../graph/resolve-nodes.ts';
import { byFacet, type OptionParts } from './options.ts';
import { pairsOf } from './pairs.ts';
import type { RecommendOperations } from './recommend-operations.ts';
import type { Recommendation } from './recommend-schemas.ts';
import { compareRequestSchema, pairRequestSchema, type Stack, stackRequestSchema } from './stack-schemas.ts';

export interface StackParts extends OptionParts {
  readonly now: () => number;
  readonly recommend: RecommendOperations['recommend'];
}

type StackOperations = Pick<RecommendOperations, 'getStack' | 'compare' | 'compatible'>;

const MAX_ALTERNATIVES = 3;

export function stackOperations(parts: StackParts): StackOperations {
  return {
    getStack: (input) => getStack(parts, input),
    async compatible(input) {
      const { a, b } = parseWith(pairRequestSchema, input, 'pair');
      const [first, second] = await nodesNamed(parts.store, [a, b]);
      return (await pairsOf(parts, [first!.node, second!.node])).compatibility(first!.node, second!.node);
    },
    async compare(input) {
      const { entities } = parseWith(compareRequestSchema, input, 'comparison');
      const named = await nodesNamed(parts.store, entities);
      const nodes = named.map(({ node }) => node);
      const pairs = await pairsOf(parts, nodes);
      const edges = nodes.flatMap((a, at) => nodes.slice(at + 1).flatMap((b) => pairs.between(a, b)));
      const pathOf = new Map(named.map(({ node, path }) => [node, path]));
      return {
        entities: named.map(({ found, path }) => sideOf(found, path)),
        relations: edges.map((edge) => ({
          relation: edge.type,
          source: pathOf.get(edge.source)!,
          target: pathOf.get(edge.target)!,
          why: edgeWords(edge),
        })),
        compatibility: [...pairs.all(nodes)],
        warnings: [...pairs.warnings],
      };
    },
  };
}

function sideOf({ entity, tool }: ResolvedNode, path: string) {
  const { health, status } = entity;
  return {
    entity_type: tool === null ? entity.type : ('tool' as const),
    path,
    name: tool?.name ?? entity.name,
    description: tool?.description ?? entity.description,
    status,
    stability: stabilityOf(health),
    facets: byFacet(facetsOf(entity)),
    ...(health === undefined ? {} : { health }),
  };
}

async function getStack(parts: StackParts, input: unknown): Promise<Stack> {
  const { use_case, sub_needs, constraints = {} } = parseWith(stackRequestSchema, input, 'stack request');
  const needs = sub_needs ?? needsIn(use_case);
  const found: Recommendation[] = [];
  for (const query of needs) found.push(await parts.recommend({ query, context: constraints, max_questions: 0 }));
  const layers = found.map(({ recommendations, alternatives }) =>
    [...recommendations, ...alternatives].map((option) => ({
      node: entityId(option.entity_type, option.path),
      score: option.fit_score,
      option,
    })),
  );
  const pairs = await pairsOf(parts, [...new Set(layers.flatMap((layer) => layer.map(({ node }) => node)))]);
  const chosen = composeStack(layers, pairs.between, parts.now());
  const nodes = chosen.flatMap((one) => one?.node ?? []);
  return {
    use_case,
    layers: needs.map((need, at) => {
      const node = chosen[at]?.node;
      const options = layers[at]!;
      return {
        need,
        choice: options.find((one) => one.node === node)?.option ?? null,
        alternatives: options
          .filter((one) => one.node !== node)
          .slice(0, MAX_ALTERNATIVES)
          .map(({ option }) => option.path),
        relaxed: [...found[at]!.relaxed],
      };
    }),
    compatibility: [...pairs.all([...new Set(nodes)])],
    warnings: [...new Set([...found.flatMap(({ warnings }) => warnings), ...pairs.warnings])],
  };
}
