import { destination, pino, stdTimeFunctions } from 'pino';
import type { Settings } from '../config.ts';

/** The part of a logger the server needs. */
export interface Logger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** One JSON object a line, to standard error: standard output belongs to the command's own answer. */
export function createLogger(level: Settings['log_level']): Logger {
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime }, destination({ dest: 2, sync: true }));
}
