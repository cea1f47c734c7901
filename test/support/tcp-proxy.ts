import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** The port that new connections lead to. */
  to: number;
  /** After a client has sent this text, its connection is cut before the answer comes. Null: never. */
  cutAfter: string | null;
  /** While true, nothing is passed on in any direction: a black hole. What was swallowed never arrives. */
  isSilent: boolean;
  /** How often a client has sent something. */
  sent: number;
  /** Closes the connections there are. New ones are taken. */
  drop(): void;
  close(): Promise<void>;
}

/** A loopback proxy in front of a server, to lose answers on purpose. */
export async function startProxy(to: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const proxy = { to, cutAfter: null as string | null, isSilent: false, sent: 0 };
  const server = createServer((client) => {
    const upstream = connect(proxy.to, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    const pass = (bytes: Buffer) => {
      if (!proxy.isSilent) client.write(bytes);
    };
    upstream.on('data', pass);
    client.on('data', (bytes: Buffer) => {
      proxy.sent++;
      if (proxy.isSilent) return;
      const isLast = proxy.cutAfter !== null && bytes.includes(proxy.cutAfter);
      if (isLast) upstream.off('data', pass);
      upstream.write(bytes);
      // The server has answered when it sends something: only then is the work done.
      if (isLast) upstream.once('data', () => client.destroy()).resume();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(proxy, {
    port: (server.address() as AddressInfo).port,
    drop() {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  });
}
