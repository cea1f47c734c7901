import type { Settings } from '../config.ts';
import type { Health } from '../registry/answers.ts';
import { Admission } from './admission.ts';
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
>;

/** What the server takes on at once, and what the health report says about it. */
export interface ServerLoad {
  readonly admission: Admission;
  readonly bodies: BodyLimits;
  readonly delay: LoopDelay;
  report(): NonNullable<Health['server']>;
}

export function serverLoad(settings: LoadSettings): ServerLoad {
  const admission = new Admission({
    running: settings.max_running_requests,
    waiting: settings.max_waiting_requests,
    waitMs: settings.request_wait_ms,
  });
  const budget = new BodyBudget(Math.max(settings.body_memory_bytes, settings.body_limit_bytes));
  const delay = new LoopDelay();
  return {
    admission,
    bodies: { maxBytes: settings.body_limit_bytes, budget, timeoutMs: settings.body_timeout_ms },
    delay,
    report: () => ({ requests: admission.counts, body_bytes: budget.used, event_loop_delay_ms: delay.report() }),
  };
}
