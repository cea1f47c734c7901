import { DOCUMENT_CALLS } from '../api/calls/document-calls.ts';
import type { Documents } from '../documents/contract/documents.ts';
import type { CallOptions, Client } from './client.ts';
import { SLOW_CALL } from './deadline.ts';

type AnyCall = (request: unknown, options?: CallOptions) => Promise<unknown>;

/** The documents of a server, with the methods, answers and errors of local ones. Made from `DOCUMENT_CALLS`. */
export function remoteDocuments(client: Client): Documents {
  const methods = Object.entries(DOCUMENT_CALLS).map(([method, call]) => {
    const send = client[call.operation] as AnyCall;
    const toRequest = call.toRequest as (...args: readonly unknown[]) => unknown;
    return [method, (...args: readonly unknown[]) => send(toRequest(...args), 'slow' in call ? SLOW_CALL : {})];
  });
  return Object.fromEntries(methods);
}
