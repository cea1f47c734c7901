import { z } from 'zod';
import { defineTool } from '../catalog/mcp-tool.ts';

const output = z.object({
  status: z.enum(['healthy', 'degraded', 'failed']).describe('degraded: keyword search only, or vectors missing'),
  error: z.string().exactOptional(),
  version: z.string(),
  counts: z.record(z.string(), z.int()).describe('By kind.'),
});

/** The health of the registry itself, for clients of the MCP gateway registry. */
export const healthcheck = defineTool({
  name: 'healthcheck',
  title: 'Check the registry',
  right: 'read',
  description: 'Report whether this registry works and how much it has.',
  input: z.strictObject({}),
  output,
  failure: (error) => ({ status: 'failed' as const, error, version: '', counts: {} }),
  async run(catalog) {
    const { status, version, index } = await catalog.health();
    const counts: Record<string, number> = { ...index.by_type };
    const text = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`);
    return { structured: { status, version, counts }, text: `${status}: ${text.join(', ')}` };
  },
});
