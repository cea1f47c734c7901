import { expect, it, onTestFinished } from 'vitest';
import { MongoWireServer } from '../../../test/support/mongo-wire-server.ts';
import { toDowserError } from '../../model/errors/errors.ts';
import type { JsonObject } from '../../model/json/json-object.ts';
import { openServer, type ServerOptions } from './mongodb-server.ts';

const OPTIONS: ServerOptions = { limits: { connectMs: 60_000, listMs: 60_000 } };
const NEVER = new AbortController().signal;

async function newServer(collections: Record<string, readonly JsonObject[]> = {}): Promise<MongoWireServer> {
  const server = await MongoWireServer.open(collections);
  onTestFinished(() => server.close());
  return server;
}

const documents = (size: number) =>
  Array.from({ length: size }, (_, at) => ({ _id: `/s-${at}`, at, when: new Date(0) }));

async function all(
  database: Awaited<ReturnType<typeof openServer>>,
  collection: string,
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  for await (const document of database.documents(collection, NEVER)) found.push(document);
  return found;
}

it('reads every document of a collection with the official driver, batch by batch, and only reads', async () => {
  const server = await newServer({ mcp_servers_default: documents(650), other: [] });
  const database = await openServer(`mongodb://127.0.0.1:${server.port}/mcp_registry`, OPTIONS);
  expect(await database.collections(NEVER)).toEqual(['mcp_servers_default', 'other']);
  const found = await all(database, 'mcp_servers_default');
  expect(new Set(found.map(({ at }) => at)).size).toBe(650);
  expect(found[0]).toEqual({ _id: '/s-0', at: 0, when: '1970-01-01T00:00:00.000Z' });
  expect(await all(database, 'other')).toEqual([]);
  await database.close();
  expect(server.commands.filter((name) => name === 'getMore').length).toBeGreaterThanOrEqual(2);
  const reads = [
    'hello',
    'ismaster',
    'isMaster',
    'ping',
    'listCollections',
    'find',
    'getMore',
    'killCursors',
    'endSessions',
  ];
  expect(server.commands.filter((name) => !reads.includes(name))).toEqual([]);
});

it('stops when it is told to', async () => {
  const server = await newServer({ c: documents(650) });
  const database = await openServer(`mongodb://127.0.0.1:${server.port}`, OPTIONS);
  const stop = new AbortController();
  const read = async () => {
    for await (const _ of database.documents('c', stop.signal)) stop.abort(new Error('enough'));
  };
  await expect(read()).rejects.toThrow('enough');
  await database.close();
});

it('says who refuses, and what cannot be reached, without the password', async () => {
  const server = await newServer({ c: documents(3) });
  const refused = async (url: string) =>
    toDowserError(await openServer(url, OPTIONS).catch((thrown: unknown) => thrown));
  server.failures.set('saslStart', 18);
  const signIn = await refused(`mongodb://ada:hush1234@127.0.0.1:${server.port}/x?authMechanism=SCRAM-SHA-256`);
  expect(signIn).toMatchObject({ code: 'FORBIDDEN' });
  server.failures.set('find', 13);
  const database = await openServer(`mongodb://127.0.0.1:${server.port}`, OPTIONS);
  expect(toDowserError(await all(database, 'c').catch((thrown: unknown) => thrown))).toMatchObject({
    code: 'FORBIDDEN',
  });
  await database.close();
  const nobody = await refused('mongodb://ada:hush1234@127.0.0.1:1/x?serverSelectionTimeoutMS=50');
  expect(nobody).toMatchObject({ code: 'SOURCE_UNREACHABLE' });
  const broken = await refused('mongodb://ada:hush1234@/x');
  expect(broken).toMatchObject({ code: 'SOURCE_UNREACHABLE' });
  for (const { message } of [signIn, nobody, broken]) expect(message).not.toContain('hush1234');
});

it.each([
  'ada:hu/sh1',
  'ada:hu#sh1',
  'ada:hu?sh1',
  'ada:x@hu/sh1',
  'ad/a:hush1',
  'ad[a:hush1',
  'ada:hu[sh1',
  'ada:%E0%hush1',
])('shows only the scheme of an address with %s', async (user) => {
  const refused = toDowserError(
    await openServer(`mongodb://${user}@127.0.0.1:1/x?serverSelectionTimeoutMS=50`, OPTIONS).catch(
      (thrown: unknown) => thrown,
    ),
  );
  expect(refused).toMatchObject({
    code: 'SOURCE_UNREACHABLE',
    message: 'The mongodb:// address cannot be understood.',
  });
  expect(JSON.stringify([refused, refused.hint, String(refused.cause)])).not.toMatch(/sh1|ada|ad\/a|ad\[a/);
});

it('says how to install the driver', async () => {
  const load = () => Promise.reject(new Error("Cannot find package 'mongodb'"));
  const missing = toDowserError(
    await openServer('mongodb://127.0.0.1', { ...OPTIONS, load }).catch((thrown: unknown) => thrown),
  );
  expect(missing).toMatchObject({ code: 'INVALID_SETTING', hint: expect.stringContaining('npm install mongodb') });
});
