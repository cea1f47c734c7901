import { destination, pino, stdTimeFunctions } from 'pino';
import type { Settings } from '../config.ts';

/** The part of a logger the server needs. */
export interface Logger {
  /** Absent where such lines are not wanted: then nothing is gathered for them. */
  debug?(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** One JSON object a line, to standard error: standard output belongs to the command's own answer. */
export function createLogger(level: Settings['log_level']): Logger {
  const logger = pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, destination({ dest: 2, sync: true }));
  if (logger.isLevelEnabled('debug')) return logger;
  return {
    info: (facts, message) => logger.info(facts, message),
    warn: (facts, message) => logger.warn(facts, message),
    error: (facts, message) => logger.error(facts, message),
  };
}
