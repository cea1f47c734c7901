import { DowserError } from '../../model/errors/errors.ts';

/** The addresses of the nodes of one Qdrant server, in the order in which they are asked. */
export interface QdrantAddress {
  /** Such as `http://127.0.0.1:6333`. */
  readonly urls: readonly string[];
  /** Hosts and ports, for messages. */
  readonly shown: string;
}

const DEFAULT_PORT = 6333;
const ADDRESS = /^qdrant(s?):\/\/([^/?#@]+)\/?$/;
const HOST = /^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::(\d{1,5}))?$/;

export const isQdrantAddress = (text: string): boolean => {
  const [, , hosts = ''] = ADDRESS.exec(text) ?? [];
  return hosts !== '' && hosts.split(',').every((host) => HOST.test(host));
};

/** `qdrants` is over TLS. Throws INVALID_SETTING without repeating the address: somebody may have put a key into it. */
export function parseQdrantAddress(text: string): QdrantAddress {
  if (!isQdrantAddress(text)) {
    throw new DowserError('INVALID_SETTING', "'vectors' is not the address of a Qdrant server.", {
      field: 'vectors',
      hint: "Write it as qdrant://HOST:6333, or qdrants:// for TLS. Put the key into 'vectors_api_key'.",
    });
  }
  const [, tls, hosts] = ADDRESS.exec(text)!;
  const named = hosts!.split(',').map((host) => (HOST.exec(host)![1] === undefined ? `${host}:${DEFAULT_PORT}` : host));
  const scheme = tls === 's' ? 'https' : 'http';
  return { urls: named.map((host) => `${scheme}://${host}`), shown: named.join(', ') };
}
