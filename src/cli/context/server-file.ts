import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CHALLENGE_HEADER, isSameText, KEY_HEADER, keyOf, PROOF_HEADER, proofOf } from '../../api/wire/local-proof.ts';
import { createClient } from '../../client/client.ts';
import { remoteDocuments } from '../../client/remote-documents.ts';
import { remoteMemories } from '../../client/remote-memories.ts';
import { remoteRegistry } from '../../client/remote-registry.ts';
import type { Documents } from '../../documents/contract/documents.ts';
import type { Memories } from '../../memories/memories.ts';
import type { Registry } from '../../registry/contract/registry.ts';
import type { CommandKey } from './context.ts';

/** `server.json` in the data folder says which server is using it, so that other commands can ask that one. */
const FILE = 'server.json';

export interface ServerNote {
  readonly url: string;
  readonly pid: number;
  /** The command that serves: `mcp` ends with the client that started it. */
  readonly command?: ServingCommand | undefined;
  /** Only the server and the readers of this file know it. A note without one is not trusted. */
  readonly secret?: string | undefined;
}

export type ServingCommand = 'serve' | 'mcp';

/** Only the user can read the file. It appears whole, under its name, when it is complete. */
export async function writeServerFile(dataDir: string, server: Omit<ServerNote, 'pid'>): Promise<void> {
  const note: ServerNote = { ...server, pid: process.pid };
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, FILE);
  const incoming = `${file}.${process.pid}`;
  await writeFile(incoming, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  await chmod(incoming, 0o600);
  await rename(incoming, file);
}

/** Removes the note of this process; another server's is left alone. */
export async function removeServerFile(dataDir: string): Promise<void> {
  const note = announcedServer(dataDir);
  if (note?.pid === process.pid) await rm(join(dataDir, FILE), { force: true });
}

/** The server that a data folder names, whether or not it still answers. */
export function announcedServer(dataDir: string): ServerNote | undefined {
  try {
    const note = JSON.parse(readFileSync(join(dataDir, FILE), 'utf8')) as ServerNote | null;
    return typeof note?.url === 'string' && typeof note.pid === 'number' ? note : undefined;
  } catch {
    // No file, or not one of ours.
    return undefined;
  }
}

/** A server that hangs must not block the command. */
const ANSWER_MS = 2000;

export interface FoundServer extends ServerNote {
  readonly registry: Registry;
  readonly memories: Memories;
  readonly documents: Documents;
}

/**
 * The server that uses a data folder, or undefined. The note may be older than its server, and another program may have
 * its port by now. So the answer must prove that it has the secret of the note, and name the folder. Until then nothing but
 * the simplest health check is sent. With a key, the server is asked as the caller of the key.
 */
export async function findServer(dataDir: string, key?: CommandKey): Promise<FoundServer | undefined> {
  const note = announcedServer(dataDir);
  const secret = note?.secret;
  if (note === undefined || typeof secret !== 'string') return undefined;
  try {
    const challenge = randomUUID();
    let proof = '';
    const asking = createClient({
      baseUrl: note.url,
      headers: { [CHALLENGE_HEADER]: challenge },
      async fetch(url, init) {
        const response = await fetch(url, { ...init, redirect: 'error' });
        proof = response.headers.get(PROOF_HEADER) ?? '';
        return response;
      },
    });
    await asking.ping({}, { timeoutMs: ANSWER_MS });
    if (!isSameText(proof, proofOf(secret, challenge)!)) return undefined;
    const local = createClient({ baseUrl: note.url, headers: { [KEY_HEADER]: keyOf(secret) } });
    const { path } = (await local.health({}, { timeoutMs: ANSWER_MS })).store;
    if (path === null || resolve(path) !== resolve(dataDir)) return undefined;
    const client =
      key === undefined
        ? local
        : createClient({ baseUrl: note.url, headers: { Authorization: `Bearer ${key.secret}` } });
    return {
      ...note,
      registry: remoteRegistry(client),
      memories: remoteMemories(client),
      documents: remoteDocuments(client),
    };
  } catch {
    return undefined;
  }
}
