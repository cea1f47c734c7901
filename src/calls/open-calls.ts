import { callableServer, type ServerPlace } from '../sources/mcp/callable-server.ts';
import { openKeychain } from '../sources/secrets/keychain.ts';
import { DEFAULT_LIMITS } from '../sources/source.ts';
import { TrustedSources } from '../sources/trusted-sources.ts';
import type { ToolCaller } from './contract/tool-caller.ts';
import { createToolCaller, type ToolCallerParts } from './create-tool-caller.ts';
import type { CallLimit } from './rules/call-class.ts';
import { CallRuleFile } from './rules/call-rules.ts';
import { placeOf } from './rules/server-place.ts';

/** The settings of calls: see `config/call-settings.ts`. */
export interface CallSettings {
  readonly call: CallLimit;
  readonly data_dir: string;
  readonly call_per_server: number;
  readonly call_total: number;
  readonly call_idle_ms: number;
  readonly call_start_wait_ms: number;
  readonly call_at_once: number;
  readonly call_queue_ms: number;
  readonly call_silent_ms: number;
  readonly call_total_ms: number;
  readonly call_rate: number;
  readonly source_connect_ms: number;
  readonly source_start_ms: number;
  readonly source_list_ms: number;
}

/** An image may be large, and is passed on by its size. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** The caller of a data folder: its rules, its sources and its sign-ins. */
export function openCalls(
  settings: CallSettings & { readonly call: Exclude<CallLimit, 'off'> },
  version: string,
  options: Pick<ToolCallerParts, 'now'> & { readonly env?: NodeJS.ProcessEnv } = {},
): ToolCaller {
  const { env = process.env, ...others } = options;
  const keychain = openKeychain({ env });
  const { data_dir: dataDir } = settings;
  const rules = new CallRuleFile(dataDir);
  const trusted = new TrustedSources(dataDir);
  const limits = {
    ...DEFAULT_LIMITS,
    connectMs: settings.source_connect_ms,
    startMs: settings.source_start_ms,
    listMs: settings.source_list_ms,
    maxBytes: MAX_MESSAGE_BYTES,
  };
  const connect = async (place: ServerPlace, cwd: string | undefined) =>
    callableServer(place, { env, keychain, limits, version, signInFolder: dataDir, cwd });
  return createToolCaller({
    limit: settings.call,
    rules: () => rules.read(),
    isTrusted: ({ key }) => trusted.has(key),
    async connect(backend, cwd) {
      const place = placeOf(backend);
      return place === undefined ? undefined : connect(place, cwd);
    },
    pool: {
      perServer: settings.call_per_server,
      total: settings.call_total,
      idleMs: settings.call_idle_ms,
      startWaitMs: settings.call_start_wait_ms,
      atOnce: settings.call_at_once,
      queueMs: settings.call_queue_ms,
      listMs: settings.source_list_ms,
    },
    silentMs: settings.call_silent_ms,
    totalMs: settings.call_total_ms,
    rate: settings.call_rate,
    ...others,
  });
}
