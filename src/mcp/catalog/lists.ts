import { type McpServer, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import { DowserError } from '../../model/errors/errors.ts';

/** The protocol's answer to a cursor that no page of the list gave. */
export const invalidCursor = (): ProtocolError =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Invalid cursor: use the nextCursor of the previous page, unchanged.',
  );

/** For a list that has one page, so that any cursor is wrong. */
export function refuseCursor(params: { readonly cursor?: string | undefined } | undefined): void {
  if (params?.cursor !== undefined) throw invalidCursor();
}

/** Reads a page of the catalog. Its error for a wrong cursor becomes the protocol's. */
export async function pageAt<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    throw thrown instanceof DowserError && thrown.field === 'cursor' ? invalidCursor() : thrown;
  }
}

/** Serves the list of tools, all on one page. The library ignores cursors, so it does not serve this list. */
export function serveToolList(server: McpServer, tools: () => Tool[]): void {
  server.server.setRequestHandler('tools/list', ({ params }) => {
    refuseCursor(params);
    return { tools: tools() };
  });
}
