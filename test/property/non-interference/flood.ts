import type { Arrival, World } from './world.ts';

const PLAIN = { source: null, drifts: false, dies: false, rated: false, unembedded: false, versions: [] };

/** Private servers and virtual servers of one kind, which none of these callers may read: enough to fill every cap. */
export function floodOf({ flood, arrivals }: World): readonly Arrival[] {
  const tools = arrivals.flatMap(({ entity }) =>
    entity.type === 'mcp_server'
      ? (entity.tools ?? []).map(({ name }) => ({ tool_name: name, backend_server_path: entity.path }))
      : [],
  );
  return Array.from({ length: flood.count }, (_, n) => {
    const common = {
      path: `/hidden/${n}`,
      name: `${flood.word} ${n}`,
      description: `${flood.word} river issue acme/p0 acme-tools`,
      tags: [flood.tag, 'secret-tag'],
      visibility: 'private',
      owner: 'carol',
      relations: [{ type: 'REQUIRES', target: `mcp_server:/p${n % 10}` }],
    };
    const issues = { name: 'create_issue', description: flood.word, outputSchema: { properties: { issueId: {} } } };
    const entity =
      n % 4 === 0
        ? { type: 'virtual_server', ...common, tool_mappings: tools.slice(0, 20) }
        : { type: 'mcp_server', ...common, tools: [issues] };
    return { ...PLAIN, entity: entity as unknown as Arrival['entity'] };
  });
}
