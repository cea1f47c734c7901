import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface ServedProcess {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  close(): Promise<void>;
}

/** `dowser serve` as a process of its own, with an empty data folder. */
export async function serveProcess(env: Readonly<Record<string, string>>): Promise<ServedProcess> {
  const dir = await mkdtemp(join(tmpdir(), 'dowser-torture-'));
  const args = [MAIN, 'serve', '--port', '0', '--data', join(dir, 'data'), '--log-level', 'error'];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const part of child.stdout!) {
    text += part;
    if (text.includes('/mcp')) break;
  }
  const [, url] = / at (http:\S+)/.exec(text) ?? [];
  if (url === undefined) throw new Error(`The server did not start: ${text}`);
  return {
    url,
    port: Number(new URL(url).port),
    child,
    async close() {
      const exited = child.exitCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGTERM');
      await exited;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
