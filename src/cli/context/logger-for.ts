import { DEFAULT_ORIGIN, type LoadedSettings, type Settings } from '../../config.ts';
import { createLogger, type Logger } from '../../http/log/logger.ts';
import { terminalLogger } from '../terminal/log-lines.ts';
import type { CommandContext } from './context.ts';

/**
 * Short lines from level `warn` on a terminal, JSON from level `collected` elsewhere. A level of the settings overrides both.
 */
export function loggerFor(
  { err }: CommandContext,
  { settings, origins }: LoadedSettings,
  collected: Settings['log_level'],
): Logger {
  const isChosen = origins.log_level !== DEFAULT_ORIGIN;
  if (err.isTTY) return terminalLogger(err, isChosen ? settings.log_level : 'warn');
  return createLogger(isChosen ? settings.log_level : collected);
}
