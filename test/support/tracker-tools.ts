import type { z } from 'zod';
import type { Catalog } from '../../src/mcp/catalog/catalog.ts';
import type { McpTool } from '../../src/mcp/catalog/mcp-tool.ts';
import { memoryRegistry } from './memory-registry.ts';

export const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
const tool = (name: string, description: string) => ({ name, description, inputSchema: schema });

const ENTITIES = [
  {
    type: 'mcp_server',
    path: '/tracker',
    name: 'Tracker',
    description: 'Issues and boards',
    tags: ['work'],
    url: 'https://tracker.test/mcp',
    metadata: { team: 'tools' },
    tools: [
      tool('create_issue', 'Create an issue'),
      tool('close_issue', 'Close an issue'),
      tool('move_card', 'Move a card'),
    ],
  },
  { type: 'mcp_server', path: '/bare', name: 'Bare', description: 'A server of issues that lists no tools' },
  { type: 'mcp_server', path: '/old', name: 'Old', description: 'An old server of issues', status: 'deprecated' },
  { type: 'mcp_server', path: '/odd#path', name: 'Odd', tools: [tool('a#b', 'Odd names')] },
  { type: 'tool', path: 'issue_label', name: 'issue_label', description: 'Label an issue', inputSchema: schema },
  {
    type: 'a2a_agent',
    path: '/agents/triage',
    name: 'Triage',
    description: 'Sorts issues',
    skills: [{ name: 'sort' }],
  },
  {
    type: 'skill',
    path: '/skills/issues',
    name: 'issues',
    description: 'How to write issues',
    body: 'Write them well.\n'.repeat(100),
  },
  { type: 'skill', path: '/skills/off', name: 'off', description: 'Switched off', is_enabled: false },
  { type: 'memory', path: '/m/1', content: 'We close issues on Fridays' },
];

/** A small catalog of a tracker of issues, and what asks the tools of MCP about it. */
export async function trackerTools() {
  const registry = await memoryRegistry();
  await registry.putMany(ENTITIES);
  return {
    registry,
    run: <I extends z.ZodObject, O extends z.ZodObject>(one: McpTool<I, O, Catalog>, input: z.input<I>) =>
      one.run(registry, one.input.parse(input)),
    /** The same registry with low confidence: every search has nearest results and no match. */
    unsurely: <I extends z.ZodObject, O extends z.ZodObject>(one: McpTool<I, O, Catalog>, input: z.input<I>) =>
      one.run(
        { ...registry, search: (request) => registry.search({ ...request, min_confidence: 1 }) },
        one.input.parse(input),
      ),
  };
}
