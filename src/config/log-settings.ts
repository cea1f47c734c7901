import type { SettingDefinitions } from './setting-definition.ts';
import { oneOf, onOff } from './setting-values.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** What is logged. */
export const LOG_SETTINGS = {
  log_level: {
    schema: oneOf(LOG_LEVELS).default('info'),
    env: ['DOWSER_LOG_LEVEL'],
    flag: '--log-level',
    shown: '`info` (`warn` on a terminal and for `dowser mcp`)',
    meaning: `How much is logged to standard error: ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}. A terminal gets short lines, anything else one JSON object a line.`,
  },
  log_query_text: {
    schema: onOff.default(false),
    env: ['SEARCH_LOG_QUERY_TEXT'],
    flag: null,
    shown: '`false`',
    meaning: 'Whether the log may hold what people searched for.',
  },
} as const satisfies SettingDefinitions;
