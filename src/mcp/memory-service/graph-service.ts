import type { MemoryGraphRequest } from '../../memories/contract/memory-graph-schemas.ts';
import type { Memories } from '../../memories/memories.ts';
import { jsonText } from './service-answers.ts';
import { given, type ServiceArguments } from './service-arguments.ts';

/** How memories relate, as JSON. */
export async function graphService(memories: Memories, args: ServiceArguments): Promise<string> {
  const { action, hash, hash1, hash2, max_hops, max_depth, radius, rel_type } = args;
  const request = given({ action, hash, hash1, hash2, max_hops, max_depth, radius, rel_type });
  return jsonText(await memories.graph(request as MemoryGraphRequest));
}

/** The memories that one is related to, with the direction of each relation. */
export async function associationsOf(memories: Memories, name: string) {
  const answer = await memories.graph({ action: 'subgraph', hash: name, radius: 1 });
  if (answer.action !== 'subgraph') throw new Error(`an answer to ${answer.action}`);
  const { hash, edges, warnings } = answer;
  const associations = edges
    .filter(({ source, target }) => source === hash || target === hash)
    .map(({ source, target, ...about }) => ({
      hash: source === hash ? target : source,
      direction: source === hash ? 'out' : 'in',
      ...about,
    }));
  return { success: true, hash, associations, count: associations.length, warnings };
}
