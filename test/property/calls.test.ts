import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createToolCaller } from '../../src/calls/create-tool-caller.ts';
import { CALL_TOOLS } from '../../src/mcp/calls/call-tools.ts';
import type { Catalog } from '../../src/mcp/catalog/catalog.ts';
import { type Caller, UNRESTRICTED } from '../../src/model/caller/caller.ts';
import { DowserError } from '../../src/model/errors/errors.ts';
import { isJsonObject } from '../../src/model/json/json-object.ts';
import { openRegistry } from '../../src/open.ts';
import { fakeUpstreams } from '../support/fake-upstreams.ts';

/** `CASES=100000 npx vitest run test/property/calls.test.ts` for the counts in docs/calls.md. */
const CASES = Number(process.env.CASES ?? 20_000);
/** Each asks two registries. */
const HIDDEN_CASES = process.env.CASES === undefined ? 300 : CASES / 5;
vi.setConfig({ testTimeout: 300_000 + CASES * 40 });

const READ = { annotations: { readOnlyHint: true } };
const WRITE = { annotations: { destructiveHint: false } };
const SCHEMA = {
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string' }, args: { type: 'object' }, n: { type: 'integer' } },
  },
};
/** Names that look like paths, like other names and like our own tools. */
const SERVERS = {
  '/files': [{ name: 'read', ...READ, ...SCHEMA }, { name: 'write', ...WRITE }, { name: 'delete' }],
  '/files__read': [{ name: 'write', ...READ }, { name: 'read' }],
  '/a/files': [{ name: 'read' }, { name: 'write#read', ...READ }],
  '/call_tool': [
    { name: 'call_tool', ...WRITE },
    { name: 'call_read_tool', ...READ },
  ],
  '/files#read': [
    { name: 'x', ...READ },
    { name: 'read', annotations: { readOnlyHint: true, destructiveHint: true } },
  ],
};
const RULES = { '/files__read': { deny: ['write'] } };
const ALLOWED = new Set(['/files read', '/a/files write#read', '/call_tool call_read_tool', '/files#read x']);

const name = fc.constantFrom(
  'files',
  '/files',
  'files__read',
  'a/files',
  '/a/files',
  'call_tool',
  'FILES',
  '/files#read',
);
const tool = fc.constantFrom('read', 'write', 'delete', 'x', 'write#read', 'call_tool', 'call_read_tool', 'READ');
const path = fc.oneof(
  fc
    .tuple(fc.constantFrom('', 'mcp__', '/', ' '), name, fc.constantFrom('#', ':', '__', '/'), tool)
    .map((parts) => parts.join('')),
  fc.constantFrom('call_tool', 'call_read_tool'),
);
const value = fc.oneof(fc.integer({ max: 9 }), fc.string({ maxLength: 4 }), path, fc.constant(null), fc.boolean());
const fields = fc.constantFrom(
  'path',
  'name',
  'tool_name',
  'tool',
  'arguments',
  'args',
  'parameters',
  'input',
  'args_json',
  'read_only',
  'n',
  'x',
);
const { request } = fc.letrec<{ request: unknown }>((tie) => ({
  request: fc.oneof(
    { maxDepth: 4 },
    fc.dictionary(fields, fc.oneof(value, path, tie('request')), { maxKeys: 4 }),
    fc.tuple(path, fc.dictionary(fields, value, { maxKeys: 3 })).map(([at, args]) => ({ path: at, arguments: args })),
    fc.tuple(path, tie('request')).map(([at, inner]) => ({ name: at, args: inner })),
    tie('request').map((inner) => ({ path: 'call_tool', arguments: inner })),
    tie('request').map((inner) => JSON.stringify(inner)),
  ),
}));

describe('over any request', () => {
  it('what is executed is what was authorized, and nothing else', async () => {
    const { executed, view, parts } = fakeUpstreams(SERVERS);
    const caller = createToolCaller({ ...parts, limit: 'read', rules: () => RULES });
    const by = { caller: UNRESTRICTED, view };
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(request, async (given) => {
        executed.length = 0;
        const authorized = await caller.check(given, by).catch((error: unknown) => error);
        expect(executed).toEqual([]);
        const answer = await caller.call(given, by).catch((error: unknown) => error);
        if (authorized instanceof Error) {
          expect(authorized).toBeInstanceOf(DowserError);
          expect(answer).toMatchObject({ code: (authorized as DowserError).code });
          expect(executed).toEqual([]);
          return;
        }
        answered++;
        const {
          path: at,
          server,
          tool: called,
          arguments: args,
        } = authorized as Awaited<ReturnType<typeof caller.check>>;
        expect(executed).toEqual([{ server, tool: called, arguments: args }]);
        expect(answer).toMatchObject({ call: { path: at, class: 'read' } });
        expect(ALLOWED.has(`${server} ${called}`)).toBe(true);
      }),
      { numRuns: CASES },
    );
    expect(answered).toBeGreaterThan(CASES / 40);
    await caller.close();
  });

  it('call_read_tool executes only what reads, although the operator allows everything', async () => {
    const { executed, view, parts } = fakeUpstreams(SERVERS);
    const caller = createToolCaller({ ...parts, limit: 'destructive', rules: () => RULES });
    const catalog = { call: (given: unknown) => caller.call(given, { caller: UNRESTRICTED, view }) } as Catalog;
    const tool = CALL_TOOLS.find(({ name: one }) => one === 'call_read_tool')!;
    const options = { signal: new AbortController().signal, onProgress() {} };
    const wrapped = fc
      .tuple(fc.constantFrom('call_tool', 'call_read_tool'), path, fc.boolean())
      .map(([wrapper, at, read_only]) => ({ path: wrapper, arguments: { path: at, read_only } }));
    await fc.assert(
      fc.asyncProperty(fc.oneof(request, wrapped), async (given) => {
        await tool.run(catalog, isJsonObject(given) ? given : {}, options).catch(() => {});
      }),
      { numRuns: CASES },
    );
    const called = new Set(executed.map(({ server, tool: one }) => `${server} ${one}`));
    expect([...called].sort()).toEqual([...ALLOWED].sort());
    await caller.close();
  });
});

describe('a hidden tool', () => {
  const dirs: string[] = [];
  afterAll(() => {
    for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
  });

  const server = (at: string, tools: readonly string[], more: object = {}) => ({
    type: 'mcp_server',
    path: at,
    name: at.slice(1),
    description: 'Keeps files and reads them',
    tools: tools.map((one) => ({ name: one, description: `${one} a file`, annotations: { readOnlyHint: true } })),
    ...more,
  });
  const hidden = { visibility: 'private', owner: 'ada' };

  async function registryOf(withHidden: boolean) {
    const dir = mkdtempSync(join(tmpdir(), 'dowser-hidden-'));
    dirs.push(dir);
    const registry = await openRegistry({
      engine: 'memory',
      data_dir: dir,
      embeddings_provider: 'off',
      call: 'read',
      call_rate: 0,
    });
    await registry.putMany([server('/files', ['read', 'write']), server('/notes', ['read'])]);
    if (withHidden) {
      await registry.putMany([
        server('/files__read', ['write'], hidden),
        server('/a/files', ['read', 'secret_read'], hidden),
        server('/call_tool', ['call_tool'], hidden),
        server('/read', ['files'], hidden),
      ]);
    }
    return registry;
  }

  it('is answered like one that does not exist', async () => {
    const registries = [await registryOf(true), await registryOf(false)];
    const stranger: Caller = { readers: ['public'], name: 'bob', scopes: ['read', 'call:destructive'] };
    const outcomes = (given: unknown) =>
      Promise.all(
        registries.map(async (registry) => {
          const asked = registry.as(stranger);
          const said = async (work: Promise<unknown>) =>
            work.catch((error: DowserError) => [error.code, error.message, error.hint, error.field, error.details]);
          // As JSON: an object without a prototype is no text.
          const { path } = (given ?? {}) as { path?: unknown };
          const at = typeof path === 'string' ? path : `${JSON.stringify(path ?? given)}`;
          return [await said(asked.checkCall(given)), await said(asked.call(given)), await said(asked.preflight([at]))];
        }),
      );
    await fc.assert(
      fc.asyncProperty(request, async (given) => {
        const [withHidden, without] = await outcomes(given);
        expect(withHidden).toEqual(without);
      }),
      { numRuns: HIDDEN_CASES },
    );
    await Promise.all(registries.map((registry) => registry.close()));
  });
});
