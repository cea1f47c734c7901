import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { isPrivateHost } from '../../sources/private-host.ts';

/** How often each host is guarded at the moment. */
const guarded = new Map<string, number>();
let isWatching = false;

/**
 * While `work` runs, `fetch` cannot connect this host to a private address. A name may resolve to a public address when it is
 * checked and to a private one a moment later (DNS rebinding). The connection is closed before a request is sent.
 */
export async function withPublicConnections<T>(host: string, work: () => Promise<T>): Promise<T> {
  watch();
  guarded.set(host, (guarded.get(host) ?? 0) + 1);
  try {
    return await work();
  } finally {
    const left = guarded.get(host)! - 1;
    if (left === 0) guarded.delete(host);
    else guarded.set(host, left);
  }
}

/** Node's `fetch` tells this channel about a connection before it writes to it. */
function watch(): void {
  if (isWatching) return;
  isWatching = true;
  subscribe('undici:client:connected', (message) => {
    const { connectParams, socket } = message as {
      readonly connectParams: { readonly hostname: string };
      socket: Socket;
    };
    const host = connectParams.hostname.replace(/^\[|\]$/g, '');
    if (!guarded.has(host) || !isPrivateHost(socket.remoteAddress ?? '')) return;
    socket.destroy(Object.assign(new Error(`${host} is an address of a private network`), { code: 'EPRIVATE' }));
  });
}
