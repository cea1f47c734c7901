import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../model/caller/caller.ts';
import type { Variables } from '../context/app-context.ts';
import type { AppOptions } from '../context/app-options.ts';
import type { Surface } from '../context/caller-surfaces.ts';
import { addDocumentRoutes } from './document-routes.ts';
import { addMemoryRoutes } from './memory-routes.ts';
import type { RouteParts } from './route-parts.ts';

const CHUNKING = { strategy: 'structure', max_chars: 1000, overlap_chars: 100, min_chars: 10 };

/** Whose file the reader was given, for an upload of this caller. */
async function callersOf(path: string, name: string | undefined): Promise<readonly (string | undefined)[]> {
  const callers: (string | undefined)[] = [];
  const app = new Hono<{ Variables: Variables }>();
  const surface = {
    caller: { name } as Caller,
    documents: { collection: async () => ({ name: 'handbook', chunking: CHUNKING }) },
    memories: {},
    warningsOf: async () => [],
  } as unknown as Surface;
  const parts: RouteParts = {
    options: {} as AppOptions,
    route: ({ method, path: template }, answer) => app.on(method, template.replace('{name}', ':name'), answer),
    asCaller: (_action, _right, _accepts, answer) => async (c) => {
      c.set('address', '10.1.2.3');
      return answer(c, surface, new Uint8Array(await c.req.raw.clone().arrayBuffer()));
    },
    callerOf: async () => surface.caller,
    reader: {
      read: async (_input, options) => {
        callers.push(options?.caller);
        return { failed: 'broken', message: 'No.' };
      },
    },
  };
  addDocumentRoutes(parts);
  addMemoryRoutes(parts);
  app.onError((_error, c) => c.body(null, 422));
  const body = new FormData();
  body.append('file', new Blob(['# Tea']), 'tea.md');
  await app.request(path, { method: 'POST', body });
  return callers;
}

describe.each(['/api/collections/handbook/files', '/api/documents/upload'])('an upload to %s', (path) => {
  it('is read in the turn of its caller, or of the address of one without a name', async () => {
    expect(await callersOf(path, 'ann')).toEqual(['caller:ann']);
    expect(await callersOf(path, undefined)).toEqual(['address:10.1.2.3']);
  });
});
