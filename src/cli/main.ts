#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { quickAnswer } from './terminal/help.ts';
import { toTerminal } from './terminal/terminal.ts';

const version = () =>
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;

for (const [name, stream] of [
  ['Standard output', process.stdout],
  ['Standard error', process.stderr],
] as const) {
  stream.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
    // A closed pipe, as in `dowser search x | head -1`, is not an error.
    if (code === 'EPIPE') process.exit(0);
    const hint = code === 'ENOSPC' ? 'The disk is full: free some space, or write to another place.' : '';
    if (stream !== process.stderr) {
      process.stderr.write(
        `error[STORE_FULL]: ${name} cannot be written (${code}).\n${hint === '' ? '' : `hint: ${hint}\n`}`,
      );
    }
    process.exit(1);
  });
}

const argv = process.argv.slice(2);
const answer = quickAnswer(argv, version, toTerminal(process.stdout, process.env).columns);
if (answer !== undefined) process.stdout.write(answer);
else process.exitCode = await (await import('./run.ts')).run(argv);
