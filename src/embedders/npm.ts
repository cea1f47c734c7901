import { spawn } from 'node:child_process';
import { DowserError } from '../model/errors.ts';

export interface NpmOptions {
  /** Use a folder outside any project: npm would read the project's settings. */
  readonly cwd: string;
  /** npm settings for this run, by name (`fetch-retries`). Passed as environment variables, so they need no quoting. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The program and its first arguments. Default: npm from the PATH. */
  readonly command?: readonly [string, ...string[]] | undefined;
}

export type NpmRun =
  | { readonly ok: true; readonly stdout: string }
  /** `code` is npm's error code (ENOTCACHED, E404, ECONNREFUSED), or how the run ended. */
  | { readonly ok: false; readonly code: string; readonly stderr: string };

/** Node refuses to start a `.cmd` without a shell (CVE-2024-27980). Every argument we pass is safe in a shell. */
const ON_WINDOWS = process.platform === 'win32';

/**
 * Runs npm with the user's own configuration: npm handles registry, proxy, certificates and keys.
 * Throws MODEL_DOWNLOAD_FAILED when npm is missing, and the signal's reason when aborted.
 */
export function runNpm(args: readonly string[], options: NpmOptions): Promise<NpmRun> {
  const [program, ...first] = options.command ?? (ON_WINDOWS ? ['npm.cmd'] : ['npm']);
  const env = { ...process.env };
  for (const [name, value] of Object.entries(options.settings ?? {})) {
    env[`npm_config_${name.replaceAll('-', '_')}`] = value;
  }
  return new Promise((resolve, reject) => {
    options.signal?.throwIfAborted();
    const child = spawn(program, [...first, ...args, '--loglevel=error'], {
      cwd: options.cwd,
      env,
      shell: ON_WINDOWS && options.command === undefined,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let stdout = '';
    let stderr = '';
    let isTimeout = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const stop = () => child.kill();
    const timer = setTimeout(() => {
      isTimeout = true;
      stop();
    }, options.timeoutMs);
    options.signal?.addEventListener('abort', stop, { once: true });
    const settle = (action: () => void) => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', stop);
      action();
    };
    child.once('error', (cause) => settle(() => reject(npmMissing(program, cause))));
    child.once('close', (exitCode, exitSignal) =>
      settle(() => {
        if (options.signal?.aborted === true) reject(options.signal.reason);
        else if (exitCode === 0) resolve({ ok: true, stdout });
        else
          resolve({ ok: false, code: isTimeout ? 'ETIMEDOUT' : failureCode(stderr, exitCode ?? exitSignal), stderr });
      }),
    );
  });
}

function failureCode(stderr: string, exit: number | string | null): string {
  return /^npm (?:error|ERR!) code (\S+)/m.exec(stderr)?.[1] ?? `exit ${exit}`;
}

function npmMissing(program: string, cause: Error): DowserError {
  return new DowserError('MODEL_DOWNLOAD_FAILED', `Cannot start '${program}': ${cause.message}.`, {
    hint: 'Install npm (it comes with Node.js), or add it to the PATH.',
    cause,
  });
}
