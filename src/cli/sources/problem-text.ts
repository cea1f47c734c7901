import type { Terminal } from '../terminal/terminal.ts';
import { oneLine } from '../terminal/text-width.ts';
import type { SourceProblem } from './read-source.ts';

/** A problem of a source, with its hint. `title` names the source where no part of it is to blame. */
export function problemText({ part, code, message, hint }: SourceProblem, title: string, { style }: Terminal): string {
  const where = oneLine(part === '' ? title : part);
  const advice = hint === undefined ? '' : `hint: ${oneLine(hint)}\n`;
  return `${style.red(`error[${code}]`)}: ${where}: ${oneLine(message)}\n${advice}`;
}
