import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CalledRegistry, calledRegistry } from '../../../test/support/called-registry.ts';
import type { CallEvent } from '../../calls/contract/tool-caller.ts';
import type { OutcomeRequest } from '../contract/outcome-schemas.ts';
import { calledTools, learnFromCalls } from './learn-from-calls.ts';

vi.setConfig({ testTimeout: 60_000 });

describe('a call with a session', () => {
  const event = (path: string, more: Partial<CallEvent> = {}) =>
    ({ phase: 'done', code: 'OK', session: 's', path, ...more }) as CallEvent;
  function learning() {
    const reports: OutcomeRequest[] = [];
    const clock = { ms: 0 };
    const called = calledTools();
    const of = (callerKey: string) =>
      learnFromCalls({
        called,
        callerKey,
        now: () => clock.ms,
        report: async (outcome) => {
          reports.push(outcome);
          throw new Error('the store is full');
        },
      });
    return { of, clock, pairs: () => reports.map(({ chosen_tool, used_with }) => [chosen_tool, ...(used_with ?? [])]) };
  }

  it('is reported with what the session has called before, each tool once', () => {
    const { of, pairs } = learning();
    for (const path of ['/a#x', '/b#y', '/a#x', '/c#z']) of('ada')(event(path));
    expect(pairs()).toEqual([
      ['/b#y', '/a#x'],
      ['/c#z', '/a#x', '/b#y'],
    ]);
  });

  it('is not reported if it failed, has not ended, or belongs to another session or caller', () => {
    const { of, pairs } = learning();
    of('ada')(event('/a#x'));
    of('ada')(event('/b#y', { code: 'TOOL_ERROR' }));
    of('ada')(event('/b#y', { code: undefined, phase: 'started' }));
    of('ada')(event('/b#y', { session: 'other' }));
    of('ada')(event('/b#y', { session: undefined }));
    of('bob')(event('/b#y'));
    expect(pairs()).toEqual([]);
  });

  it('is forgotten after an hour, and names ten tools at most', () => {
    const { of, pairs, clock } = learning();
    of('ada')(event('/a#old'));
    clock.ms += 3_600_000;
    for (let nth = 0; nth < 15; nth++) of('ada')(event(`/a#${nth}`));
    expect(pairs().flat()).not.toContain('/a#old');
    expect(Math.max(...pairs().map(({ length }) => length))).toBe(11);
  });
});

describe('with the setting call_learn', () => {
  let opened: CalledRegistry | undefined;
  afterEach(() => opened?.close());

  const related = async ({ registry }: CalledRegistry) =>
    (await registry.relations('tool', '/bad#echo')).relations
      .filter(({ provenance }) => provenance === 'co_use')
      .map(({ relation, path, weight }) => [relation, path, Math.round(weight)]);
  /** Two tools in one session, by callers who may only call. */
  async function calledBy({ registry }: CalledRegistry, names: readonly string[]): Promise<void> {
    for (const name of names) {
      const caller = registry.as({ readers: ['public'], name, scopes: ['read', 'call:read'] });
      for (const tool of ['count', 'echo']) await caller.call({ path: `/bad#${tool}`, session: 's' });
    }
  }

  it('three callers who call two tools in one session make them related', async () => {
    opened = await calledRegistry({ call_learn: true });
    await calledBy(opened, ['ada', 'bob']);
    expect(await related(opened)).toEqual([]);
    await calledBy(opened, ['cleo']);
    await vi.waitFor(async () => expect(await related(opened!)).toEqual([['POPULAR_WITH', '/bad#count', 3]]), {
      timeout: 30_000,
    });
  });

  it('off, which is the default, nothing is learned', async () => {
    opened = await calledRegistry();
    await calledBy(opened, ['ada', 'bob', 'cleo']);
    // A report has its turn after those before it.
    await opened.registry.reportOutcome({ chosen_tool: '/bad#write', outcome: 'failure' });
    expect(await related(opened)).toEqual([]);
  });
});
