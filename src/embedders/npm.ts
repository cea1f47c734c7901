import { spawn } from 'node:child_process';
import { DowserError } from '../model/errors.ts';

export interface NpmOptions {
  /** Best outside any project, so that no project's settings leak in. */
  readonly cwd: string;
  /** Settings of npm for this run, by their names (`fetch-retries`). They travel as environment: no quoting to get wrong. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The program and its first arguments; npm from the PATH by default. */
  readonly command?: readonly [string, ...string[]] | undefined;
}

export type NpmRun =
  | { readonly ok: true; readonly stdout: string }
  /** `code` is npm's own word (ENOTCACHED, E404, ECONNREFUSED), or how the run ended. */
  | { readonly ok: false; readonly code: string; readonly stderr: string };

/** Node refuses to start a `.cmd` without a shell (CVE-2024-27980); every argument we pass is safe in one. */
const ON_WINDOWS = process.platform === 'win32';

/**
 * Runs npm with its user's own configuration: registry, proxy, certificates and keys are npm's business.
 * Throws MODEL_DOWNLOAD_FAILED when there is no npm, the signal's reason when aborted.
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
    let overTime = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const stop = () => child.kill();
    const timer = setTimeout(() => {
      overTime = true;
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
        else resolve({ ok: false, code: overTime ? 'ETIMEDOUT' : failureCode(stderr, exitCode ?? exitSignal), stderr });
      }),
    );
  });
}

function failureCode(stderr: string, exit: number | string | null): string {
  return /^npm (?:error|ERR!) code (\S+)/m.exec(stderr)?.[1] ?? `exit ${exit}`;
}

function npmMissing(program: string, cause: Error): DowserError {
  return new DowserError('MODEL_DOWNLOAD_FAILED', `The program '${program}' cannot be started: ${cause.message}.`, {
    hint: 'Install npm (it comes with Node.js) or put it on the PATH.',
    cause,
  });
}
