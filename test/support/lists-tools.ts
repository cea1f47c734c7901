import type { RequestListener } from 'node:http';

/** An MCP server that answers with plain JSON and lists this many tools on one page, once `ready` allows it. */
export function listsTools(tools: number | (() => number), ready = async () => {}): RequestListener {
  const list = () =>
    Array.from({ length: typeof tools === 'number' ? tools : tools() }, (_, i) => ({
      name: `tool_${i}`,
      inputSchema: { type: 'object' },
    }));
  return (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', async () => {
      const { id, method, params } = body === '' ? {} : JSON.parse(body);
      if (id === undefined) {
        response.writeHead(request.method === 'POST' ? 202 : 405).end();
        return;
      }
      const hello = {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'many', version: '1' },
      };
      if (method === 'tools/list') await ready();
      const result = method === 'initialize' ? hello : method === 'tools/list' ? { tools: list() } : {};
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  };
}
