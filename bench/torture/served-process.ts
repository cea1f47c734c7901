import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The command as it is shipped. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface ServedProcess {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export type Environment = Readonly<Record<string, string>>;

/** Starts a command of Dowser. */
export function startCommand(args: readonly string[], env: Environment = {}): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], {
    // Registered servers are not read: their addresses are made up.
    env: { ...process.env, DOWSER_TOOL_DISCOVERY: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Waits for the end of a process. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Everything that a process writes to a stream, so far. */
export function textOf(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  return () => text;
}

/** `dowser serve` of a data folder. `onStart` gets the process before it listens. */
export async function serveProcess(
  data: string,
  env: Environment = {},
  onStart?: (child: ChildProcess) => void,
): Promise<ServedProcess> {
  const child = startCommand(['serve', '--port', '0', '--data', data, '--log-level', 'error'], env);
  const stdout = textOf(child.stdout!);
  const stderr = textOf(child.stderr!);
  onStart?.(child);
  const over = ended(child);
  while (!stdout().includes('/mcp')) {
    await Promise.race([once(child.stdout!, 'data'), over]);
    if (child.exitCode !== null || child.signalCode !== null) throw new NotServed(stderr(), child.signalCode);
  }
  const [, url] = / at (http:\S+)/.exec(stdout()) ?? [];
  if (url === undefined) throw new Error(`The server has no address: ${stdout()}`);
  return {
    url,
    port: Number(new URL(url).port),
    child,
    async end(signal) {
      child.kill(signal);
      await over;
    },
  };
}

/** The process ended before it listened. */
export class NotServed extends Error {
  readonly signal: NodeJS.Signals | null;

  constructor(stderr: string, signal: NodeJS.Signals | null) {
    super(`The server did not start: ${stderr}`);
    this.signal = signal;
  }
}
