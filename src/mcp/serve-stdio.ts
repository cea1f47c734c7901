import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { answeringAll } from './server/answer-all.ts';
import type { MadeServer, McpOptions } from './server/create-mcp-server.ts';
import { readFirstState } from './server/first-state.ts';
import { makerOf, type ServedTools } from './toolsets.ts';

/** How often to check the catalog for changes, to notify the client. */
const WATCH_MS = 10_000;

export interface StdioOptions extends McpOptions {
  readonly signal: AbortSignal;
  readonly toolset: ServedTools;
}

/**
 * Serves one client over standard input and output until it closes its end or the signal aborts. Nothing else may write to
 * standard output during this time.
 */
export async function serveMcpStdio({ signal, toolset, ...options }: StdioOptions): Promise<void> {
  const { make, lists } = makerOf(toolset, options);
  const { input, output } = answeringAll();
  process.stdin.pipe(input);
  output.pipe(process.stdout);
  const transport = new StdioServerTransport(input, output);
  const made: MadeServer[] = [];
  const handle = serveStdio(
    async () => {
      const one = await make({ notifies: true });
      made.push(one);
      await readFirstState(one, lists);
      return one.server;
    },
    { transport, onerror: (error) => options.onError?.(error) },
  );
  const ended = new Promise<void>((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  const watch = setInterval(async () => {
    const connected = made.filter(({ server }) => server.isConnected());
    if (connected.length === 0) return;
    const states = await lists();
    for (const { update } of connected) update(states);
  }, WATCH_MS);
  watch.unref();
  await ended;
  clearInterval(watch);
  await handle.close();
  // An input that is still read keeps the process alive.
  process.stdin.unpipe(input);
  process.stdin.pause();
}
