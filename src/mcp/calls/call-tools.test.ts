import { describe, expect, it } from 'vitest';
import { toListedTool } from '../create-mcp-server.ts';
import { FINDING_TOOLS, whereCallable } from '../tools/tools.ts';
import { CALL_TOOLS, toListedCallTool } from './call-tools.ts';

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
