#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { quickAnswer } from './terminal/help.ts';
import { toTerminal } from './terminal/terminal.ts';

const version = () =>
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;

// A closed pipe, as in `dowser search x | head -1`, is not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

const argv = process.argv.slice(2);
const answer = quickAnswer(argv, version, toTerminal(process.stdout, process.env).columns);
if (answer !== undefined) process.stdout.write(answer);
else process.exitCode = await (await import('./run.ts')).run(argv);
