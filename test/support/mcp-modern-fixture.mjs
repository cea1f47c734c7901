/**
 * A server of the newest protocol revision alone: it refuses the handshake of the older ones. With `changing`, a call of its second
 * tool changes the first one.
 */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

await serveStdio(
  () => {
    const server = new McpServer(
      { name: 'modern-fixture', version: '2.0.0' },
      { instructions: 'Only for new clients.' },
    );
    const fold = { description: 'Fold a sheet of paper into a crane' };
    const folding = server.registerTool('fold_paper', fold, () => ({ content: [] }));
    if (process.argv[2] === 'changing') {
      server.registerTool('change', { description: 'Change the other tool' }, () => {
        folding.update({ description: 'Fold a sheet of paper into a plane' });
        return { content: [] };
      });
    }
    return server;
  },
  { legacy: 'reject' },
);
