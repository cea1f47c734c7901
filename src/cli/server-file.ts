import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createClient } from '../client/client.ts';
import { remoteMemories } from '../client/remote-memories.ts';
import { remoteRegistry } from '../client/remote-registry.ts';
import type { Memories } from '../memories/memories.ts';
import type { Registry } from '../registry/registry.ts';

/** `server.json` in the data folder says which server is using it, so that other commands can ask that one. */
const FILE = 'server.json';

export interface ServerNote {
  readonly url: string;
  readonly pid: number;
  /** The command that serves: `mcp` ends with the client that started it. */
  readonly command?: ServingCommand | undefined;
}

export type ServingCommand = 'serve' | 'mcp';

export async function writeServerFile(dataDir: string, url: string, command: ServingCommand): Promise<void> {
  const note: ServerNote = { url, pid: process.pid, command };
  await mkdir(dataDir, { recursive: true });
  await writeFile(join(dataDir, FILE), `${JSON.stringify(note)}\n`);
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
}

/**
 * The server that uses a data folder, or undefined. The note may be older than its server, and another program may have
 * its port by now, so the answer must name the folder.
 */
export async function findServer(dataDir: string): Promise<FoundServer | undefined> {
  const note = announcedServer(dataDir);
  if (note === undefined) return undefined;
  try {
    const client = createClient({ baseUrl: note.url });
    const health = await client.health({}, { timeoutMs: ANSWER_MS });
    const { path } = health.store;
    return path !== null && resolve(path) === resolve(dataDir)
      ? { ...note, registry: remoteRegistry(client), memories: remoteMemories(client) }
      : undefined;
  } catch {
    return undefined;
  }
}
