import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryRegistry } from '../../../test/support/memory-registry.ts';
import type { Backend } from './backend.ts';
import { expectNamed, getNamed, getWanted, whereIs } from './named-entity.ts';

const LOST = 'Find its path with `dowser search` or `dowser list`; it is case-sensitive.';

let backend: Backend;
beforeAll(async () => {
  const registry = await memoryRegistry();
  const tools = [{ name: 'read_page', description: 'Reads one page' }];
  await registry.put({ type: 'mcp_server', path: '/reader', name: 'Reader', description: 'Reads pages', tools });
  await registry.put({ type: 'skill', path: '/skills/pdf', name: 'pdf', description: 'Works with PDF' });
  await registry.put({ type: 'skill', path: '/twin', name: 'twin' });
  await registry.put({ type: 'document', path: '/twin', name: 'twin', body: 'One of two' });
  const unused = () => Promise.reject(new Error('not used here'));
  backend = { ...registry, isServer: false, memories: unused, documents: unused };
});
afterAll(() => backend.close());

describe('whereIs', () => {
  it.each([
    [{ type: null, path: '/reader' }, ['/reader']],
    [{ type: null, path: 'pdf' }, ['/skills/pdf']],
    [{ type: null, path: '/reader#read_page' }, ['/reader#read_page']],
    [{ type: 'tool', path: '/reader#read_page' }, ['/reader#read_page']],
    [{ type: 'tool', path: '/reader#write_page' }, []],
    [{ type: 'skill', path: '/reader#read_page' }, []],
    [{ type: 'skill', path: '/reader' }, []],
    [{ type: null, path: '' }, []],
  ] as const)('finds %j', async (wanted, expected) => {
    expect((await whereIs(backend, wanted)).map(({ path }) => path)).toEqual(expected);
  });
});

describe('expectNamed', () => {
  it('is content with what is there', async () => {
    await expectNamed(backend, { type: null, path: '/reader' });
    await expectNamed(backend, { type: 'tool', path: '/reader#read_page' });
  });

  it.each([
    [{ type: 'tool', path: '/reader#read_pgae' }, 'Did you mean "/reader#read_page"?'],
    [{ type: null, path: '/reader#read_pgae' }, 'Did you mean "/reader#read_page"?'],
    [{ type: 'skill', path: '/reader' }, 'At that path is mcp_server:/reader.'],
    [{ type: null, path: '/raeder' }, "Did you mean '/reader'?"],
    [{ type: null, path: '/nothing-like-it' }, LOST],
    [{ type: 'skill', path: '' }, LOST],
  ] as const)('says of %j what was meant', async (wanted, hint) => {
    await expect(expectNamed(backend, wanted)).rejects.toMatchObject({ code: 'NOT_FOUND', hint });
  });
});

describe('getWanted', () => {
  it.each([
    [['mcp_server:/reader'], '/reader'],
    [['mcp_server', '/reader'], '/reader'],
    [['mcp_server', 'reader'], '/reader'],
    [['/reader'], '/reader'],
    [['pdf'], '/skills/pdf'],
    [['tool:/reader#read_page'], '/reader#read_page'],
    [['document:/twin'], '/twin'],
  ])('takes %j', async (args, path) => {
    expect((await getWanted(backend, args)).entity.path).toBe(path);
  });

  it.each([
    [['mcp_server'], 'INVALID_REQUEST', 'Write mcp_server:/path. List the paths with `dowser list mcp_server`.'],
    [['gadget', '/reader'], 'UNKNOWN_TYPE', expect.stringContaining('mcp_server')],
    [['/twin'], 'INVALID_REQUEST', 'Name one of skill:/twin, document:/twin.'],
    [['/raeder'], 'NOT_FOUND', "Did you mean '/reader'?"],
    [['/nothing-like-it'], 'NOT_FOUND', LOST],
    [['skill:/reader'], 'NOT_FOUND', 'At that path is mcp_server:/reader.'],
  ])('refuses %j with %s', async (args, code, hint) => {
    await expect(getWanted(backend, args)).rejects.toMatchObject({ code, hint });
  });
});

describe('getNamed', () => {
  it('gives what is there', async () => {
    expect((await getNamed(backend, 'skill', 'pdf')).entity.path).toBe('/skills/pdf');
  });

  it('gives a tool of a server, and says which one was meant', async () => {
    expect((await getNamed(backend, 'tool', '/reader#read_page')).entity.path).toBe('/reader#read_page');
    await expect(getNamed(backend, 'tool', '/reader#read_pgae')).rejects.toMatchObject({
      code: 'NOT_FOUND',
      hint: 'Did you mean "/reader#read_page"?',
    });
  });

  it.each([
    ['tool', '/reader', 'At that path is mcp_server:/reader.'],
    ['mcp_server', '/reader#read_page', 'At that path is tool:/reader#read_page, a tool of /reader.'],
    ['mcp_server', '/raeder', "Did you mean '/reader'?"],
    ['mcp_server', '/nothing-like-it', LOST],
  ] as const)('says for %s %s what is at that path', async (type, path, hint) => {
    await expect(getNamed(backend, type, path)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `No ${type} is registered at '${path}'.`,
      hint,
    });
  });
});
