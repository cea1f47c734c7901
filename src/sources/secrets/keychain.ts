// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of this shape are what is explained.
import { execFile } from 'node:child_process';
import { DowserError } from '../../model/errors/errors.ts';

/** Reads an entry of the system's keychain. Throws INVALID_SETTING, without the secret, where there is none. */
export type ReadKeychain = (name: string, reference: string, subject: string) => Promise<string>;

/** A name goes to a command as one argument, and must not be an option of it. */
const NAME = /^\w[\w.-]{0,127}$/;
/** The system may ask its user first. */
const WAIT_MS = 30_000;
const MAX_BYTES = 64 * 1024;
/** The servers of calls are looked up for each call: no program is started for each. */
const KEPT_MS = 60_000;

interface Lookup {
  readonly command: string;
  readonly args: (name: string) => readonly string[];
  readonly hint: string;
}

/** The name is a variable of the script, never a part of it. */
const WINDOWS_SCRIPT =
  '[void][Windows.Security.Credentials.PasswordVault,Windows.Security.Credentials,ContentType=WindowsRuntime];' +
  '$found=(New-Object Windows.Security.Credentials.PasswordVault).FindAllByResource($env:DOWSER_KEYCHAIN_NAME)[0];' +
  '$found.RetrievePassword();[Console]::Out.Write($found.Password)';

const LOOKUPS: Readonly<Partial<Record<NodeJS.Platform, Lookup>>> = {
  darwin: {
    command: 'security',
    args: (name) => ['find-generic-password', '-s', name, '-w'],
    hint: 'Store it with: security add-generic-password -a "$USER" -s NAME -w',
  },
  win32: {
    command: 'powershell.exe',
    args: () => ['-NoProfile', '-NonInteractive', '-Command', WINDOWS_SCRIPT],
    hint: 'Store it in the Credential Manager as a web credential with this name as its address.',
  },
};
const SECRET_SERVICE: Lookup = {
  command: 'secret-tool',
  args: (name) => ['lookup', 'service', name],
  hint: 'Store it with: secret-tool store --label NAME service NAME',
};

export interface KeychainOptions {
  /** Of the process that looks it up. */
  readonly env: NodeJS.ProcessEnv;
  readonly platform?: NodeJS.Platform;
  readonly now?: () => number;
  readonly waitMs?: number;
}

/** The keychain of the system. Each entry is kept for a minute, in memory only. */
export function openKeychain({
  env,
  platform = process.platform,
  now = () => performance.now(),
  waitMs = WAIT_MS,
}: KeychainOptions): ReadKeychain {
  const lookup = LOOKUPS[platform] ?? SECRET_SERVICE;
  const known = new Map<string, { readonly until: number; readonly value: Promise<string> }>();
  return (name, reference, subject) => {
    if (!NAME.test(name)) {
      throw new DowserError('INVALID_SETTING', `${subject} has the reference ${reference.slice(0, 200)}: not a name.`, {
        field: 'keychain',
        hint: 'Use 1 to 128 letters, digits and `._-`, such as ${keychain:github-token}.',
      });
    }
    const kept = known.get(name);
    if (kept !== undefined && now() < kept.until) return kept.value;
    const value = read(lookup, name, env, waitMs).catch((thrown: unknown) => {
      known.delete(name);
      throw failure(thrown as Failure, lookup, name, `${subject} needs ${reference}`, waitMs);
    });
    known.set(name, { until: now() + KEPT_MS, value });
    return value;
  };
}

type Failure = Error & { readonly code?: unknown; readonly killed?: boolean };

function read({ command, args }: Lookup, name: string, env: NodeJS.ProcessEnv, timeout: number): Promise<string> {
  return new Promise((done, fail) => {
    const options = {
      env: { ...env, DOWSER_KEYCHAIN_NAME: name },
      timeout,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_BYTES,
      windowsHide: true,
    } as const;
    const child = execFile(command, args(name), options, (error, stdout) => {
      const value = stdout.replace(/\r?\n$/, '');
      if (error !== null) fail(error);
      else if (value === '') fail(new Error('empty'));
      else done(value);
    });
    child.stdin?.end();
  });
}

/** Without what the command wrote: it may have a part of the secret. */
function failure({ code, killed }: Failure, { command, hint }: Lookup, name: string, needs: string, waitMs: number) {
  const isAbsent = code === 'ENOENT' || code === 'EACCES';
  const reason = isAbsent
    ? `the command '${command}' is not there`
    : killed === true
      ? `the keychain did not answer within ${waitMs / 1000} s (${command})`
      : `the keychain has no entry '${name}' that can be read (${command})`;
  return new DowserError('INVALID_SETTING', `${needs}, but ${reason}.`, {
    field: name,
    hint: isAbsent
      ? `Install it, or use a variable of the environment: \${${name.replaceAll(/\W/g, '_')}}.`
      : hint.replaceAll('NAME', name),
  });
}
