import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ReadLimits } from '../contract/document-reader.ts';

/** What a reading process sees of the environment: enough to run, and no keys. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'TMP', 'TEMP', 'SYSTEMROOT', 'LANG'];

/** The process is TypeScript in a checkout, and compiled in the package. */
export function startReadProcess(limits: ReadLimits): ChildProcess {
  const entry = import.meta.url.endsWith('.ts') ? './read-process-from-source.mjs' : './read-process.js';
  return fork(fileURLToPath(new URL(entry, import.meta.url)), processOptions(limits, process.env));
}

export function processOptions({ maxMemoryBytes }: ReadLimits, env: NodeJS.ProcessEnv): ForkOptions {
  return {
    execArgv: [`--max-old-space-size=${Math.ceil(maxMemoryBytes / 1e6)}`],
    env: Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  };
}
