import { type EntityId, entityId } from '../../model/entity.ts';
import { stabilityOf } from '../../model/entity-parts/entity-health.ts';
import { facetsOf } from '../../model/entity-parts/facets.ts';
import { parseWith, showValue } from '../../model/parse/parse.ts';
import { composeStack, needsIn } from '../../recommend/compose-stack.ts';
import { edgeWords } from '../../recommend/edge-words.ts';
import { STACK_RELAXATION_ORDER } from '../../recommend/relaxation.ts';
import type { RecommendOperations } from '../contract/recommend-operations.ts';
import type { Recommendation } from '../contract/recommend-schemas.ts';
import {
  type CompatibilityReport,
  compareRequestSchema,
  pairRequestSchema,
  type Stack,
  stackRequestSchema,
} from '../contract/stack-schemas.ts';
import { ambiguousWords, findNamed, type NamingParts, nodesNamed } from '../graph/nodes-named.ts';
import type { ResolvedNode } from '../graph/resolve-nodes.ts';
import { byFacet, type OptionParts } from './options.ts';
import { pairsOf } from './pairs.ts';

export interface StackParts extends OptionParts, Pick<NamingParts, 'view'> {
  readonly now: () => number;
  readonly recommend: RecommendOperations['recommend'];
}

type StackOperations = Pick<RecommendOperations, 'getStack' | 'compare' | 'compatible'>;

const MAX_ALTERNATIVES = 3;

export function stackOperations(parts: StackParts): StackOperations {
  return {
    getStack: (input) => getStack(parts, input),
    async compatible(input) {
      const { a, b, version_a, version_b } = parseWith(pairRequestSchema, input, 'pair');
      const [first, second] = await nodesNamed(parts, [a, b]);
      const [one, other] = [first!.node, second!.node];
      const asked = [[one, version_a] as const, [other, version_b] as const];
      const versions = new Map(
        asked.flatMap(([node, version]) => (version === undefined ? [] : [[node, version] as const])),
      );
      return (await pairsOf(parts, [one, other], versions)).compatibility(one, other);
    },
    async compare(input) {
      const { entities } = parseWith(compareRequestSchema, input, 'comparison');
      const named = await nodesNamed(parts, entities);
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
  const request = parseWith(stackRequestSchema, input, 'stack request');
  const { use_case, sub_needs, constraints = {}, existing_tools = [], limit } = request;
  const needs = (sub_needs ?? needsIn(use_case)).slice(0, limit);
  const { existing, unknown } = await existingNodes(parts, existing_tools);
  const found: Recommendation[] = [];
  const relax = [...STACK_RELAXATION_ORDER];
  for (const query of needs)
    found.push(await parts.recommend({ query, context: constraints, relax, max_questions: 0 }));
  const layers = found.map(({ recommendations, alternatives }) =>
    [...recommendations, ...alternatives].map((option) => ({
      node: entityId(option.entity_type, option.path),
      score: option.fit_score,
      option,
    })),
  );
  const candidates = layers.flatMap((layer) => layer.map(({ node }) => node));
  const pairs = await pairsOf(parts, [...new Set([...existing, ...candidates])]);
  const chosen = composeStack(layers, pairs, parts.now(), existing);
  const nodes = new Set([...existing, ...chosen.flatMap((one) => one?.node ?? [])]);
  const compatibility = [...pairs.all([...nodes])];
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
    compatibility,
    stack_compatibility: worstOf(compatibility),
    warnings: [...new Set([...unknown, ...found.flatMap(({ warnings }) => warnings), ...pairs.warnings])],
  };
}

const unknownTool = (name: string) => `${showValue(name)} is not registered: nothing is known of how it fits.`;

/** Callers name what they use, registered or not. */
async function existingNodes(parts: StackParts, names: readonly string[]) {
  const existing: EntityId[] = [];
  const unknown: string[] = [];
  for (const [at, found] of (await findNamed(parts, names)).entries()) {
    const name = names[at]!;
    if (found === null) unknown.push(unknownTool(name));
    else if ('node' in found) existing.push(found.node);
    else unknown.push(`${ambiguousWords(name, found)} Name one of them by its id.`);
  }
  return { existing, unknown };
}

function worstOf(pairs: readonly CompatibilityReport[]): Stack['stack_compatibility'] {
  if (pairs.some(({ verdict }) => verdict === 'conflicts')) return 'conflicts';
  if (pairs.some(({ partial }) => partial)) return 'partial';
  return pairs.some(({ verdict }) => verdict !== 'unknown') ? 'compatible' : 'unknown';
}
