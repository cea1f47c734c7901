import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { DowserError } from '../../../model/errors/errors.ts';
import { isJsonObject } from '../../../model/json/json-object.ts';
import { trimEndChars } from '../../../model/text/trim-chars.ts';

const FILE = 'sign-ins.json';

export interface SignIn {
  readonly client: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  /** When the access token expires, ISO 8601. Absent if the server did not say. */
  readonly expires_at?: string;
}

/** The server that a sign-in is for: its address without parameters, user and slash at the end. */
export function signInKey(address: string): string {
  const { origin, pathname } = new URL(address);
  return `${origin}${trimEndChars(pathname, '/')}`;
}

/** The sign-ins at remote servers. A file in the data folder that only its user may read; no token is in the registry. */
export class SignInFile {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get(address: string): SignIn | undefined {
    return this.all()[signInKey(address)];
  }

  /** Equal for the same server of the same file. */
  keyOf(address: string): string {
    return `${this.#folder} ${signInKey(address)}`;
  }

  put(address: string, signIn: SignIn): void {
    this.#write({ ...this.all(), [signInKey(address)]: signIn });
  }

  /** Whether there was one. */
  delete(address: string): boolean {
    const { [signInKey(address)]: found, ...others } = this.all();
    if (found === undefined) return false;
    this.#write(others);
    return true;
  }

  all(): Readonly<Record<string, SignIn>> {
    const path = join(this.#folder, FILE);
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {};
      throw new DowserError('INVALID_FILE', `Cannot read ${path} (${(cause as Error).message}).`, { cause });
    }
    try {
      const found: unknown = JSON.parse(text);
      if (isJsonObject(found)) return found as Record<string, SignIn>;
    } catch {
      // Reported below.
    }
    throw new DowserError('INVALID_FILE', `${path} is damaged.`, { hint: 'Delete it, and sign in again.' });
  }

  /** As a whole, so that a crash leaves the old file. */
  #write(signIns: Readonly<Record<string, SignIn>>): void {
    const path = join(this.#folder, FILE);
    const part = `${path}.${randomUUID()}`;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(part, JSON.stringify(signIns, null, 2), { mode: 0o600 });
      renameSync(part, path);
    } catch (cause) {
      rmSync(part, { force: true });
      throw new DowserError('INVALID_FILE', `Cannot write ${path} (${(cause as Error).message}).`, { cause });
    }
  }
}
