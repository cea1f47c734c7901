/** A server of the newest protocol revision alone: it refuses the handshake of the older ones. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

await serveStdio(
  () => {
    const server = new McpServer(
      { name: 'modern-fixture', version: '2.0.0' },
      { instructions: 'Only for new clients.' },
    );
    server.registerTool('fold_paper', { description: 'Fold a sheet of paper into a crane' }, () => ({ content: [] }));
    return server;
  },
  { legacy: 'reject' },
);
