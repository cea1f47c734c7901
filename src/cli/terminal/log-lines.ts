import { LOG_LEVELS, type Settings } from '../../config.ts';
import type { Logger } from '../../http/log/logger.ts';
import type { Terminal } from './terminal.ts';
import { eachOnOneLine, oneLine } from './text-width.ts';

type Level = Settings['log_level'];

/** The same warning is repeated only after this time. */
const SAY_AGAIN_MS = 10 * 60_000;
/** How many warnings are remembered. The oldest is forgotten first. */
const MAX_SAID = 1000;

/** The log on a terminal: short lines with the time of day. They replace a progress bar. */
export function terminalLogger(terminal: Terminal, level: Level, { now = Date.now } = {}): Logger {
  const { dim, yellow, red } = terminal.style;
  const isWanted = (lineLevel: Level) => LOG_LEVELS.indexOf(lineLevel) >= LOG_LEVELS.indexOf(level);
  const said = new Map<string, number>();

  const write = (facts: object, text: string) => {
    const time = new Date(now()).toTimeString().slice(0, 8);
    terminal.write(`${terminal.eraseLine}${dim(time)} ${text}${dim(tail(facts))}\n`);
  };
  /** Writes a warning once, however often the failure repeats. */
  const writeTrouble = (facts: object, message: string, word: string) => {
    const trouble = `${message} ${'code' in facts ? facts.code : ''} ${'reason' in facts ? facts.reason : ''}`;
    const last = said.get(trouble);
    if (last !== undefined && now() - last < SAY_AGAIN_MS) return;
    said.delete(trouble);
    said.set(trouble, now());
    const [oldest] = said.keys();
    if (said.size > MAX_SAID && oldest !== undefined) said.delete(oldest);
    write(facts, `${word} ${message}`);
  };
  return {
    ...(isWanted('debug') ? { debug: (facts: object, message: string) => write(facts, message) } : {}),
    info: (facts, message) => {
      if (isWanted('info')) write(facts, message);
    },
    warn: (facts, message) => {
      if (isWanted('warn')) writeTrouble(facts, message, yellow('warning:'));
    },
    error: (facts, message) => {
      if (isWanted('error')) write(facts, `${red('error:')} ${message}`);
    },
  };
}

/** ` status=200 ms=1.5`, and the stack trace of an error on its own lines. */
function tail(facts: object): string {
  const { err, ...rest } = facts as { readonly err?: unknown };
  const pairs = Object.entries(rest).map(([name, value]) => ` ${name}=${oneLine(show(value))}`);
  return `${pairs.join('')}${err === undefined ? '' : `\n${trace(err)}`}`;
}

/** A message can quote what a caller sent. */
function trace(err: unknown): string {
  return eachOnOneLine(err instanceof Error ? (err.stack ?? err.message) : String(err));
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
