import { execFile } from 'node:child_process';
import { DowserError } from '../../model/errors/errors.ts';

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
  const settings = Object.entries(options.settings ?? {});
  const own = settings.map(([name, value]) => [`npm_config_${name.replaceAll('-', '_')}`, value] as const);
  const { cwd, timeoutMs: timeout, signal } = options;
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const child = execFile(
      program,
      [...first, ...args, '--loglevel=error'],
      {
        cwd,
        timeout,
        env: { ...process.env, ...Object.fromEntries(own) },
        shell: ON_WINDOWS && options.command === undefined,
        maxBuffer: Number.POSITIVE_INFINITY,
        windowsHide: true,
      },
      (error, stdout, stderr) => {
        signal?.removeEventListener('abort', stop);
        if (signal?.aborted === true) reject(signal.reason);
        else if (error === null) resolve({ ok: true, stdout });
        else if (typeof error.code === 'string') reject(npmMissing(program, error));
        else {
          const code = error.killed === true ? 'ETIMEDOUT' : failureCode(stderr, error.code ?? error.signal);
          resolve({ ok: false, code, stderr });
        }
      },
    );
    // Not the `signal` of `execFile`, which does not wait until npm has ended.
    const stop = () => child.kill();
    signal?.addEventListener('abort', stop, { once: true });
  });
}

function failureCode(stderr: string, exit: number | string | null | undefined): string {
  return /^npm (?:error|ERR!) code (\S+)/m.exec(stderr)?.[1] ?? `exit ${exit}`;
}

function npmMissing(program: string, cause: Error): DowserError {
  return new DowserError('MODEL_DOWNLOAD_FAILED', `Cannot start '${program}': ${cause.message}.`, {
    hint: 'Install npm (it comes with Node.js), or add it to the PATH.',
    cause,
  });
}
