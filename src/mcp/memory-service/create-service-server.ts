import { McpServer } from '@modelcontextprotocol/server';
import { toDowserError } from '../../model/errors/errors.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { failureText } from '../catalog/failure-text.ts';
import { serveToolList } from '../catalog/lists.ts';
import { modelWarnings, warningContent } from '../catalog/warn-model.ts';
import { type McpOptions, type McpServerMaker, NO_CHANGES } from '../server/create-mcp-server.ts';
import { OLD_NAMES } from './old-names.ts';
import { SERVICE_TOOLS, type ServiceTool } from './service-tools.ts';

const CALLED: ReadonlyMap<string, Pick<ServiceTool, 'right' | 'run'>> = new Map([
  ...SERVICE_TOOLS.map((tool) => [tool.name, tool] as const),
  ...Object.entries(OLD_NAMES),
]);

const INSTRUCTIONS = 'Memories of this user. Search them before you answer, and store what is worth keeping.';

const schemaOf = ({ arguments: properties, required }: ServiceTool) => ({
  type: 'object' as const,
  properties: { ...properties },
  ...(required === undefined ? {} : { required: [...required] }),
});

/** The tools of the memory service, for its clients. They check their own arguments: clients of three surfaces send them. */
export function createServiceServerMaker(options: McpOptions): McpServerMaker {
  const { catalog, version, files = null, mayUse = () => true, onCalled = () => {}, onError = () => {} } = options;
  const tools = SERVICE_TOOLS.filter(({ right }) => mayUse(right)).map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: schemaOf(tool),
  }));
  return {
    rights: new Map([...CALLED].map(([name, { right }]) => [name, right])),
    lists: async () => NO_CHANGES,
    async make() {
      const made = new McpServer(
        { name: 'dowser-memory', title: 'Dowser memories', version },
        { instructions: INSTRUCTIONS, capabilities: { tools: { listChanged: false } } },
      );
      serveToolList(made, () => tools);
      made.server.setRequestHandler('tools/call', async ({ params }) => {
        const called = CALLED.get(params.name);
        const text = (content: string, isError = false, warnings: readonly string[] = []) => ({
          content: [{ type: 'text' as const, text: content }, ...warningContent(warnings)],
          isError,
        });
        if (called === undefined || !mayUse(called.right))
          return text(`There is no tool ${JSON.stringify(params.name)}.`, true);
        try {
          const answer = await called.run(
            catalog.memories,
            isJsonObject(params.arguments) ? params.arguments : {},
            files,
          );
          const warnings = await modelWarnings(catalog, { text: answer, asked: params.arguments });
          onCalled();
          return text(answer, false, warnings);
        } catch (thrown) {
          const error = toDowserError(thrown);
          onCalled(error.code);
          if (error.code === 'INTERNAL') onError(thrown);
          return text(`Error: ${failureText(error)}`, true);
        }
      });
      return { server: made, update: () => {} };
    },
  };
}
