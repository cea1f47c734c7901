import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ENTITY_TYPES } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { parseWith, showValue } from '../../model/parse/parse.ts';
import { meantName } from '../../model/text/meant-name.ts';

export const PROFILES_FILE = 'profiles.json';

/** The toolsets that a profile can narrow. */
export const PROFILE_TOOLSETS = ['agent', 'call', 'registry'] as const;

const listOf = <T extends z.ZodType>(item: T, max: number) =>
  z.array(item).min(1, 'must not be empty').max(max).optional();

export const profileSchema = z.strictObject({
  /** Only these types. A type of servers includes their tools. */
  types: listOf(z.enum(ENTITY_TYPES, `must be some of ${ENTITY_TYPES.join(', ')}`), ENTITY_TYPES.length),
  /** Only entities with all of these tags. */
  tags: listOf(z.string().min(1, 'must not be empty').max(512), 50),
  /** Only these servers and their tools. */
  servers: listOf(
    z
      .string()
      .min(1, 'must not be empty')
      .max(1023)
      .transform((path) => (path.startsWith('/') ? path : `/${path}`)),
    500,
  ),
  toolset: z.enum(PROFILE_TOOLSETS, `must be one of ${PROFILE_TOOLSETS.join(', ')}`).default('agent'),
  /** The limit of each answer. */
  max_tokens: z.int().min(50, 'must be from 50 to 100000').max(100_000, 'must be from 50 to 100000').optional(),
});
/** A saved filter for agents, with an endpoint of its own. It narrows what they find; it is no right. */
export type Profile = Readonly<z.output<typeof profileSchema>>;
export type Profiles = Readonly<Record<string, Profile>>;

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** The profiles of a data folder: `profiles.json`. A running server reads it again when it changes. */
export class ProfileFile {
  readonly #path: string;
  #seen = '';
  #profiles: Profiles = {};

  constructor(dataDir: string) {
    this.#path = join(dataDir, PROFILES_FILE);
  }

  /** Throws INVALID_FILE. */
  read(): Profiles {
    const seen = this.#version();
    if (seen !== this.#seen) {
      this.#profiles = seen === '' ? {} : this.#parse();
      this.#seen = seen;
    }
    return this.#profiles;
  }

  /** Throws NOT_FOUND, with the name that was meant. */
  get(name: string): Profile {
    const profiles = this.read();
    if (Object.hasOwn(profiles, name)) return profiles[name]!;
    const meant = meantName(name.slice(0, 64), Object.keys(profiles));
    throw new DowserError('NOT_FOUND', `There is no profile ${showValue(name)}.`, {
      hint: meant === undefined ? 'List them with `dowser profile list`.' : `Did you mean '${meant}'?`,
    });
  }

  /** The profile as it would be stored. Throws INVALID_REQUEST. */
  check(name: string, given: unknown): Profile {
    if (!NAME.test(name)) {
      throw new DowserError('INVALID_REQUEST', `The name ${showValue(name)} cannot be that of a profile.`, {
        field: 'name',
        hint: 'Use small letters, digits, dots, hyphens and underscores, at most 64.',
      });
    }
    return parseWith(profileSchema, given, 'profile');
  }

  /** Null removes it. The file appears whole, under its name, with what another process has written meanwhile. */
  write(name: string, given: unknown): Profile | null {
    const profile = given === null ? null : this.check(name, given);
    mkdirSync(join(this.#path, '..'), { recursive: true, mode: 0o700 });
    const incoming = `${this.#path}.${randomUUID()}`;
    do {
      const { [name]: _, ...others } = this.read();
      const all = profile === null ? others : { ...others, [name]: profile };
      const sorted = Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
      writeFileSync(incoming, `${JSON.stringify(sorted, null, 2)}\n`, { mode: 0o600 });
    } while (this.#version() !== this.#seen);
    renameSync(incoming, this.#path);
    return profile;
  }

  #version(): string {
    const stats = statSync(this.#path, { throwIfNoEntry: false });
    return stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
  }

  #parse(): Profiles {
    try {
      return z.record(z.string(), profileSchema).parse(JSON.parse(readFileSync(this.#path, 'utf8')));
    } catch (cause) {
      throw new DowserError('INVALID_FILE', `${this.#path} cannot be read.`, {
        hint: 'Correct or delete it. `dowser profile set` writes it.',
        cause,
      });
    }
  }
}
