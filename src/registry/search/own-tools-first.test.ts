import { describe, expect, it } from 'vitest';
import { type FoundTool, ownToolsFirst } from './own-tools-first.ts';

const tool = (path: string, score: number) => ({ owner: { type: 'mcp_server', path }, score }) as FoundTool;
const shown = (tools: readonly FoundTool[]) => tools.map(({ owner, score }) => [owner.path, score]);

describe('the tools of an answer', () => {
  it('are sorted by score', () => {
    const tools = [tool('/a', 0.2), tool('/b', 0.9), tool('/a', 0.4)];
    expect(shown(ownToolsFirst([tools], new Set()))).toEqual([
      ['/b', 0.9],
      ['/a', 0.4],
      ['/a', 0.2],
    ]);
  });

  it('are sorted window by window: more results do not change the first tools', () => {
    const [first, second] = [
      [tool('/a', 0.2), tool('/b', 0.9)],
      [tool('/d', 0.3), tool('/c', 0.5)],
    ];
    const before = shown(ownToolsFirst([first], new Set()));
    expect(shown(ownToolsFirst([first, second], new Set()))).toEqual([...before, ['/c', 0.5], ['/d', 0.3]]);
  });

  it('begin with those of the server that the query names, which have the highest scores', () => {
    const tools = [tool('/b', 0.9), tool('/a', 0.3), tool('/c', 0.1), tool('/a', 0.4)];
    expect(shown(ownToolsFirst([tools, [tool('/d', 0.8)]], new Set(['/a'])))).toEqual([
      ['/a', 0.4],
      ['/a', 0.3],
      ['/b', 0.3],
      ['/c', 0.1],
      ['/d', 0.3],
    ]);
  });

  it('are none of others if the named server has none that match', () => {
    expect(ownToolsFirst([[tool('/b', 0.9)]], new Set(['/a']))).toEqual([]);
    expect(shown(ownToolsFirst([[tool('/b', 0.9), tool('/a', 0)]], new Set(['/a'])))).toEqual([['/a', 0]]);
  });

  it('end with those of the named server that do not match', () => {
    const tools = [tool('/b', 0.9), tool('/a', 0), tool('/a', 0.4)];
    expect(shown(ownToolsFirst([tools], new Set(['/a'])))).toEqual([
      ['/a', 0.4],
      ['/b', 0.4],
      ['/a', 0],
    ]);
  });
});
