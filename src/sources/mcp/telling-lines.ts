const MAX_LINES = 5;
const MAX_CHARS = 600;

/** Lines without a cause. */
const SILENT: readonly RegExp[] = [
  /^\s*$/,
  /^\s+at /,
  /^npm http /,
  // Empty lines of npm, and the place of its log, which older versions write on a line of its own.
  /^npm (?:error|ERR!)(?: \d+)?\s*$/,
  /^npm (?:error|ERR!)\s+(?:A complete log |\S+debug-\d+\.log)/,
];
/** Where npm says why it failed. With ELIFECYCLE, the program that it ran has failed. */
const NPM_CAUSE = /^npm (?:error|ERR!) code E(?!LIFECYCLE\b)[A-Z0-9]+/;
const ERROR = /\berror\b[^a-z]|Error:/i;

/** What a program that failed says about the cause: the lines from npm's code or the last error on, or else the last few. */
export function tellingLines(said: string): string {
  const lines = said.split('\n').filter((line) => !SILENT.some((pattern) => pattern.test(line)));
  const cause = lines.findLastIndex((line) => NPM_CAUSE.test(line));
  const named = cause < 0 ? lines.findLastIndex((line) => ERROR.test(line)) : cause;
  const from = named < 0 ? Math.max(0, lines.length - MAX_LINES) : named;
  return lines
    .slice(from, from + MAX_LINES)
    .join(' ')
    .replace(/\s+/g, ' ')
    .slice(0, MAX_CHARS);
}
