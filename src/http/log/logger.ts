import { destination, pino, stdTimeFunctions } from 'pino';
import type { Settings } from '../../config.ts';

/** The part of a logger that the server uses. */
export interface Logger {
  /** Absent if debug lines are off. Then they cost nothing. */
  debug?(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** How long lines of level `info` wait for others, and how many characters of them. */
const GATHER_MS = 50;
const MAX_GATHERED = 16_384;

/**
 * Writes one JSON object per line to standard error. Standard output is for the command's result. Lines of level `info` are
 * gathered for a moment, because a write for each request takes a sixth of the time of a small one. They are written before a
 * warning or an error, and before the process exits. With debug lines on, every line is written at once.
 */
export function createLogger(level: Settings['log_level'], dest: number | string = 2): Logger {
  const options = { level, base: null, timestamp: stdTimeFunctions.isoTime };
  const sink = destination({ dest, sync: true });
  const direct = pino(options, sink);
  if (direct.isLevelEnabled('debug')) return direct;
  let gathered = '';
  let timer: NodeJS.Timeout | null = null;
  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (gathered === '') return;
    const lines = gathered;
    gathered = '';
    sink.write(lines);
  };
  const logger = pino(options, {
    write(line) {
      gathered += line;
      if (gathered.length >= MAX_GATHERED) flush();
      else timer ??= setTimeout(flush, GATHER_MS).unref();
    },
  });
  process.once('exit', flush);
  return {
    info: (facts, message) => logger.info(facts, message),
    warn(facts, message) {
      logger.warn(facts, message);
      flush();
    },
    error(facts, message) {
      logger.error(facts, message);
      flush();
    },
  };
}
