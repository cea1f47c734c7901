import type { Settings } from '../../config.ts';
import type { Health } from '../../registry/contract/answers.ts';
import { Admission } from './admission.ts';
import { CallerLimits } from './caller-limits.ts';
import { LoopDelay } from './loop-delay.ts';
import { BodyBudget, type BodyLimits } from './receive-body.ts';

export type LoadSettings = Pick<
  Settings,
  | 'body_limit_bytes'
  | 'body_timeout_ms'
  | 'body_memory_bytes'
  | 'max_running_requests'
  | 'max_waiting_requests'
  | 'request_wait_ms'
  | 'rate_limit'
  | 'max_requests_per_caller'
>;

const DEFAULT_RATE_LIMIT = 100;
/** Two heavy callers leave room for others: see `max_running_requests` and `max_waiting_requests`. */
const DEFAULT_REQUESTS_PER_CALLER = 64;

/** What the server takes on at once, and what the health report says about it. */
export interface ServerLoad {
  readonly admission: Admission;
  readonly bodies: BodyLimits;
  readonly callers: CallerLimits;
  readonly delay: LoopDelay;
  /** Counts a request to an MCP endpoint. */
  countMcp(): void;
  report(): NonNullable<Health['server']> & { readonly body_bytes: number };
}

/** `isShared`: others than the programs of this machine may ask, so each has a limit unless the settings say otherwise. */
export function serverLoad(settings: LoadSettings, isShared = false): ServerLoad {
  const callers = new CallerLimits({
    perSecond: settings.rate_limit ?? (isShared ? DEFAULT_RATE_LIMIT : 0),
    inFlight: settings.max_requests_per_caller ?? (isShared ? DEFAULT_REQUESTS_PER_CALLER : 0),
  });
  const admission = new Admission({
    running: settings.max_running_requests,
    waiting: settings.max_waiting_requests,
    waitMs: settings.request_wait_ms,
  });
  const budget = new BodyBudget(Math.max(settings.body_memory_bytes, settings.body_limit_bytes));
  const delay = new LoopDelay();
  let mcp_requests = 0;
  return {
    admission,
    bodies: { maxBytes: settings.body_limit_bytes, budget, timeoutMs: settings.body_timeout_ms },
    callers,
    delay,
    countMcp() {
      mcp_requests += 1;
    },
    report: () => ({
      requests: admission.counts,
      mcp_requests,
      body_bytes: budget.used,
      event_loop_delay_ms: delay.report(),
    }),
  };
}
