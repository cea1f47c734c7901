import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Environment, ended } from '../torture/served-process.ts';
import { runCommand } from './run-command.ts';

const STARTS = 5;

/** Exports a folder of documents, and starts the exported server several times. The shortest start counts, in milliseconds. */
export async function exportedStart(folder: string, dir: string, env: Environment): Promise<number> {
  const data = join(dir, 'exporting');
  const exported = join(dir, 'exported');
  await runCommand(['docs', 'add', folder, '--name', 'small', '--data', data], env);
  await runCommand(['docs', 'export', 'small', exported, '--data', data], env);
  const took: number[] = [];
  for (let n = 0; n < STARTS; n++) took.push(await startOnce(exported, env));
  return Math.min(...took);
}

async function startOnce(folder: string, env: Environment): Promise<number> {
  const start = performance.now();
  const child = spawn(process.execPath, [join('server', 'http', 'exported', 'main.js')], {
    cwd: folder,
    env: { ...process.env, ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const took = performance.now() - start;
  child.kill('SIGTERM');
  await ended(child);
  return took;
}
