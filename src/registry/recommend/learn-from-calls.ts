import type { CallEvent } from '../../calls/contract/tool-caller.ts';
import { Sessions } from '../../recommend/sessions.ts';
import type { OutcomeReport, OutcomeRequest } from '../contract/outcome-schemas.ts';

/** The tools that a session has called so far, newest last. Losing some costs reports of pairs, nothing else. */
export type CalledTools = Sessions<readonly string[]>;

const MAX_SESSIONS = 1000;
/** An agent may think, or wait for its user, between two calls of one task. */
const SESSION_MS = 60 * 60_000;
/** As many as one report may name. */
const MAX_TOOLS = 10;

export const calledTools = (): CalledTools => new Sessions({ max: MAX_SESSIONS, ttlMs: SESSION_MS });

export interface LearnParts {
  readonly called: CalledTools;
  /** Sessions of one caller are unknown to another. */
  readonly callerKey: string;
  readonly now: () => number;
  /** With the limits of any other report. */
  readonly report: (outcome: OutcomeRequest) => Promise<OutcomeReport>;
}

/**
 * Reports that a tool was used with those that the same session has called before. Only a call with a session that succeeded
 * counts, and each tool once in its session. The answer of the call does not wait for the report, and does not fail with it.
 */
export function learnFromCalls({ called, callerKey, now, report }: LearnParts): (event: CallEvent) => void {
  return ({ phase, code, path, session }) => {
    if (phase !== 'done' || code !== 'OK' || session === undefined) return;
    const key = JSON.stringify([callerKey, session]);
    const before = called.get(key, now()) ?? [];
    if (before.includes(path)) return;
    called.put(key, [...before, path].slice(-MAX_TOOLS), now());
    if (before.length > 0) report({ chosen_tool: path, outcome: 'success', used_with: before }).catch(() => {});
  };
}
