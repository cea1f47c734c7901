import type { SettingDefinitions } from './setting-definition.ts';
import { oneOf, onOff, whole } from './setting-values.ts';

/** Calls of the tools of registered servers. `docs/calls.md` explains them. */
export const CALL_SETTINGS = {
  call: {
    schema: oneOf(['off', 'read', 'write', 'destructive']).default('off'),
    env: ['DOWSER_CALL'],
    flag: '--call',
    meaning:
      'Which tools of registered servers may be [called](calls.md): none (`off`), those that only read (`read`), also those that add or change (`write`), or all (`destructive`). Calling a tool starts its server.',
  },
  call_per_server: {
    schema: whole(1, 1000).default(3),
    env: ['DOWSER_CALL_PER_SERVER'],
    meaning: 'How many instances of one server may run for calls.',
  },
  call_total: {
    schema: whole(1, 10_000).default(16),
    env: ['DOWSER_CALL_TOTAL'],
    meaning: 'How many instances of all servers may run for calls. The one that was used least recently makes room.',
  },
  call_idle_ms: {
    schema: whole(0, 2_000_000_000).default(300_000),
    env: ['DOWSER_CALL_IDLE_MS'],
    meaning: 'How long a server without calls is kept, in milliseconds. `0`: until Dowser stops.',
  },
  call_start_wait_ms: {
    schema: whole(100, 3_600_000).default(45_000),
    env: ['DOWSER_CALL_START_WAIT_MS'],
    meaning:
      'How long a call waits for its server to start, in milliseconds. After that it fails with `STARTING`, and the start goes on, up to `source_start_ms`.',
  },
  call_at_once: {
    schema: whole(1, 1000).default(8),
    env: ['DOWSER_CALL_AT_ONCE'],
    meaning: 'How many calls one instance of a server gets at once.',
  },
  call_queue_ms: {
    schema: whole(0, 600_000).default(10_000),
    env: ['DOWSER_CALL_QUEUE_MS'],
    meaning: 'How long a call waits for an instance that is free, in milliseconds. After that it fails with `BUSY`.',
  },
  call_silent_ms: {
    schema: whole(100, 3_600_000).default(60_000),
    env: ['DOWSER_CALL_SILENT_MS'],
    meaning: 'How long a tool may work without telling its progress, in milliseconds.',
  },
  call_total_ms: {
    schema: whole(100, 3_600_000).default(600_000),
    env: ['DOWSER_CALL_TOTAL_MS'],
    meaning: 'How long a tool may work in all, in milliseconds.',
  },
  call_rate: {
    schema: whole(0, 100_000).default(10),
    env: ['DOWSER_CALL_RATE'],
    meaning:
      'How many times a second one caller may call one tool, on average. Twice as many may come at once. `0` sets no limit.',
  },
  call_learn: {
    schema: onOff.default(false),
    env: ['DOWSER_CALL_LEARN'],
    meaning:
      'Learn which tools are used together: tools that one caller has called with success in one `session` count as [reported](recommend.md#learning-from-use).',
  },
} as const satisfies SettingDefinitions;
