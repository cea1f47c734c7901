import type { SettingDefinitions } from './setting-definition.ts';
import { oneOf, onOff } from './setting-values.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Logging. */
export const LOG_SETTINGS = {
  log_level: {
    schema: oneOf(LOG_LEVELS).default('info'),
    env: ['DOWSER_LOG_LEVEL'],
    flag: '--log-level',
    shown: '`info` (`warn` on a terminal and for `dowser mcp`)',
    meaning: `The log level: ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}. Logs go to standard error: short lines on a terminal, otherwise one JSON object per line.`,
  },
  log_query_text: {
    schema: onOff.default(false),
    env: ['SEARCH_LOG_QUERY_TEXT'],
    meaning: 'Log the text of queries, and show admins those without a good answer on the page Status.',
  },
} as const satisfies SettingDefinitions;
