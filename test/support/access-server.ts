import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileKeys } from '../../src/access/file-keys.ts';
import type { NewKey } from '../../src/access/key-store.ts';
import { type Access, openAccess } from '../../src/access/open-access.ts';
import { parseSettings } from '../../src/config.ts';
import type { Logger } from '../../src/http/log/logger.ts';
import { startServer } from '../../src/http/server.ts';
import { openRegistry } from '../../src/open.ts';
import type { Answer } from './served-registry.ts';

export const AUDIENCE = 'https://tools.example.com';
export const NOW = new Date('2026-03-01T00:00:00Z');

export interface AskOptions {
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A server that demands credentials, with a data folder of its own. */
export async function accessServer(
  settings: Record<string, unknown> = {},
  access?: Partial<Access>,
  logger: Logger = { info() {}, warn() {}, error() {} },
) {
  const dir = await mkdtemp(join(tmpdir(), 'dowser-access-'));
  const all = parseSettings({
    data_dir: dir,
    embeddings_provider: 'off',
    port: 0,
    auth: true,
    tool_discovery: false,
    oidc_audience: AUDIENCE,
    ...settings,
  });
  const registry = await openRegistry(all);
  const given = access === undefined ? {} : { access: { ...(await defaultAccess(dir)), ...access } };
  const server = await startServer({ registry, version: '0', logger, settings: all, secret: 'abc', ...given });
  const keys = new FileKeys(dir);

  async function ask(
    method: string,
    path: string,
    { key, headers, body }: AskOptions = {},
  ): Promise<Answer & { readonly text: string }> {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // A stream of events has no end.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const text = isStream && path.endsWith('/events') ? await firstEvent(response) : await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const json = text === '' || !isJson ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, text, json, error: json?.error };
  }

  return {
    dir,
    url: server.url,
    registry,
    keys,
    ask,
    /** A new key. Default: it reads, and never expires. */
    key: (fields: Partial<NewKey> & { readonly name: string }) =>
      keys.create({ groups: [], scopes: ['read'], expiresAt: null, ...fields }, NOW).key,
    async close() {
      keys.close();
      await server.close();
      await rm(dir, { recursive: true });
    },
  };
}

async function firstEvent(response: Response): Promise<string> {
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

export type AccessServer = Awaited<ReturnType<typeof accessServer>>;

const defaultAccess = (dataDir: string) =>
  openAccess({
    dataDir,
    required: true,
    anonymousRead: false,
    oidc: null,
    audit: { maxBytes: 1024 * 1024, keep: 3 },
  });
