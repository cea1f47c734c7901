import type { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CallProgress } from '../../registry/contract/registry.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { toListedTool } from '../server/create-mcp-server.ts';
import { FINDING_TOOLS, whereCallable } from '../tools/tools.ts';
import { CALL_TOOLS, registerCallTool, toListedCallTool } from './call-tools.ts';

const listed = CALL_TOOLS.map(toListedCallTool);

describe('the tools for calls', () => {
  it('are short: every client reads them in each conversation', () => {
    const whole = [...whereCallable(FINDING_TOOLS).map((tool) => toListedTool(tool, '', 'lean')), ...listed];
    expect(JSON.stringify(listed).length).toBeLessThanOrEqual(1700);
    expect(JSON.stringify(whole).length).toBeLessThanOrEqual(6500);
  });

  it('say what they are and what they may do, so that a client asks its user before call_tool only', () => {
    for (const { title, description, annotations } of listed) {
      expect([title, description]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w/)]);
      expect(annotations).toMatchObject({ readOnlyHint: expect.any(Boolean), destructiveHint: expect.any(Boolean) });
    }
    const asking = listed.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name);
    expect(asking).toEqual(['call_tool']);
  });

  it('promise no output schema: they pass on what others answer', () => {
    expect(listed.filter((tool) => tool.outputSchema !== undefined)).toEqual([]);
  });
});

describe('the progress of a call', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A call under way, of a client that gave this token. */
  function underWay(progressToken: string | undefined) {
    vi.useFakeTimers();
    const sent: { readonly method: string; readonly params: Partial<CallProgress> }[] = [];
    let tell = (_: CallProgress) => {};
    let finish = () => {};
    const catalog = {
      call: (_: unknown, options: { readonly onProgress: typeof tell }) => {
        tell = options.onProgress;
        return new Promise((resolve) => {
          finish = () => resolve({ result: { content: [] }, call: { repairs: [], warnings: [] } });
        });
      },
    } as unknown as Catalog;
    let handler = async (_: object, __: object): Promise<unknown> => undefined;
    const server = {
      registerTool(_: string, __: object, given: typeof handler) {
        handler = given;
      },
    };
    registerCallTool(server as unknown as McpServer, CALL_TOOLS[0]!, { catalog, onCalled() {}, onError() {} });
    const notify = async (message: (typeof sent)[number]) => void sent.push(message);
    const done = handler({}, { mcpReq: { signal: new AbortController().signal, _meta: { progressToken }, notify } });
    return {
      sent,
      tell: (progress: CallProgress) => tell(progress),
      async end() {
        finish();
        await done;
      },
    };
  }

  it('goes to the client under its token, with a sign of life while the tool is silent, and always increases', async () => {
    const { sent, tell, end } = underWay('mine');
    tell({ progress: 1, total: 3, message: 'reading' });
    await vi.advanceTimersByTimeAsync(31_000);
    tell({ progress: 1 });
    await end();
    await vi.advanceTimersByTimeAsync(60_000);
    tell({ progress: 2 });
    expect(sent[0]).toEqual({
      method: 'notifications/progress',
      params: { progressToken: 'mine', progress: 1, total: 3, message: 'reading' },
    });
    const told = sent.map(({ params }) => params.progress!);
    expect(told).toHaveLength(4);
    for (const [at, progress] of told.entries()) expect(progress).toBeGreaterThan(told[at - 1] ?? 0);
  });

  it('goes to nobody who gave no token', async () => {
    const { sent, tell, end } = underWay(undefined);
    tell({ progress: 1 });
    await vi.advanceTimersByTimeAsync(31_000);
    await end();
    expect(sent).toEqual([]);
  });
});
