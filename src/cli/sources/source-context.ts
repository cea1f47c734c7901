import type { Settings } from '../../config.ts';
import { dowserVersion } from '../../open.ts';
import { openKeychain } from '../../sources/secrets/keychain.ts';
import type { SourceContext } from '../../sources/source.ts';
import { type CommandRun, wrongOption } from '../context/context.ts';
import { toNumber } from '../context/filter-options.ts';
import { oneLine } from '../terminal/text-width.ts';

const MAX_WAIT_S = 600;

/** What sources are read with: the settings, and `--timeout` for both waits. */
export function sourceContext({ env, options, err }: CommandRun, settings: Settings): SourceContext {
  const { source_connect_ms, source_start_ms, source_list_ms, source_max_bytes, source_max_items, source_total_ms } =
    settings;
  const waitMs = options.timeout === undefined ? undefined : Math.round(seconds(options.timeout) * 1000);
  return {
    env,
    keychain: openKeychain({ env }),
    version: dowserVersion(),
    signInFolder: settings.data_dir,
    onNotice: (title, notice) => err.write(`${oneLine(title)}: ${notice}\n`),
    limits: {
      connectMs: waitMs ?? source_connect_ms,
      startMs: waitMs ?? source_start_ms,
      listMs: waitMs ?? source_list_ms,
      maxBytes: source_max_bytes,
      maxItems: source_max_items,
      totalMs: source_total_ms,
    },
  };
}

function seconds(value: unknown): number {
  const given = toNumber(value);
  if (given >= 0.1 && given <= MAX_WAIT_S) return given;
  throw wrongOption('timeout', value, `a number of seconds from 0.1 to ${MAX_WAIT_S}`);
}
