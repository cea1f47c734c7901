import { destination, pino, stdTimeFunctions } from 'pino';
import type { Settings } from '../config.ts';

/** The part of a logger that the server uses. */
export interface Logger {
  /** Absent if debug lines are off. Then they cost nothing. */
  debug?(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** Writes one JSON object per line to standard error. Standard output is for the command's result. */
export function createLogger(level: Settings['log_level']): Logger {
  const logger = pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, destination({ dest: 2, sync: true }));
  if (logger.isLevelEnabled('debug')) return logger;
  return {
    info: (facts, message) => logger.info(facts, message),
    warn: (facts, message) => logger.warn(facts, message),
    error: (facts, message) => logger.error(facts, message),
  };
}
