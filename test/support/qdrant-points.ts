import type { TestServer } from '../../scripts/servers.mjs';
import { pointId } from '../../src/engines/qdrant/point.ts';

interface Point {
  readonly id: string;
  readonly vector: readonly number[];
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Asks Qdrant itself, past Dowser. */
export async function askQdrant<T>({ url }: TestServer, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', connection: 'close' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (JSON.parse(text) as { result: T }).result;
}

export async function collectionNames(server: TestServer): Promise<readonly string[]> {
  const { collections } = await askQdrant<{ collections: readonly { name: string }[] }>(server, 'GET', '/collections');
  return collections.map(({ name }) => name).sort();
}

/** For tests that start without any collection. */
export async function dropCollections(server: TestServer): Promise<void> {
  for (const name of await collectionNames(server)) await askQdrant(server, 'DELETE', `/collections/${name}`);
}

/** The only collection there is. */
export async function onlyCollection(server: TestServer) {
  const [name, ...others] = await collectionNames(server);
  if (name === undefined || others.length > 0) throw new Error(`Qdrant has ${others.length + 1} collections.`);
  return collectionAt(server, name);
}

export function collectionAt(server: TestServer, name: string) {
  const path = `/collections/${name}`;
  return {
    name,
    info: () => askQdrant<{ config: Readonly<Record<string, unknown>> }>(server, 'GET', path),
    drop: () => askQdrant(server, 'DELETE', path),
    count: async () =>
      (await askQdrant<{ count: number }>(server, 'POST', `${path}/points/count`, { exact: true })).count,
    read: async (unit: string): Promise<Point> => {
      const body = { ids: [pointId(unit)], with_payload: true, with_vector: true };
      const [point] = await askQdrant<readonly Point[]>(server, 'POST', `${path}/points`, body);
      if (point === undefined) throw new Error(`Qdrant has no point of ${unit}.`);
      return point;
    },
    write: (point: Point) => askQdrant(server, 'PUT', `${path}/points?wait=true`, { points: [point] }),
    remove: (...units: readonly string[]) =>
      askQdrant(server, 'POST', `${path}/points/delete?wait=true`, { points: units.map(pointId) }),
    /** The units that Qdrant itself finds. */
    find: async (vector: Float32Array, limit: number): Promise<readonly string[]> => {
      const body = { query: [...vector], limit, with_payload: ['unit'] };
      const { points } = await askQdrant<{ points: readonly Point[] }>(server, 'POST', `${path}/points/query`, body);
      return points.map(({ payload }) => String(payload.unit));
    },
  };
}
