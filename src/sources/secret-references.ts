import { DowserError } from '../model/errors.ts';

/**
 * Text that may be stored, with a reference such as `${API_KEY}` in place of each secret. Filling in the references from the
 * environment restores the original text.
 */
export interface Template {
  readonly text: string;
  /** The removed secrets, so that messages can be redacted too. */
  readonly secrets: readonly string[];
}

const REFERENCE = /\$\{(?:(env|input):)?([\w.-]+)(?::-([^}]*))?\}/g;
const SECRET_NAME =
  /(?:api[-_.]?key|access[-_.]?key|token|secret|passw(?:or)?d|pwd|credentials?|bearer|authorization|cookie|signature|(?:^|[-_.])(?:key|pat|auth|sig))$/i;
/** Key prefixes of well-known services, and the start of a JSON Web Token. */
const SECRET_VALUE = /^(?:sk-|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|hf_|npm_|eyJ[\w-]+\.eyJ)[\w.-]{8,}$/;

/** `x-api-key` -> `X_API_KEY`: the environment variable of a secret. */
export function variableFor(name: string): string {
  return name
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toUpperCase();
}

const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

const hasReference = (text: string): boolean => new RegExp(REFERENCE.source).test(text);

/** Replaces a whole value, such as that of a header. Keeps its scheme (`Bearer`). */
export function secretValue(name: string, value: string): Template {
  if (hasReference(value)) return { text: value, secrets: [] };
  const [, scheme = '', secret = ''] = /^((?:Bearer|Basic|Token)\s+)?(.*)$/is.exec(value) ?? [];
  return { text: `${scheme}\${${variableFor(name)}}`, secrets: [secret] };
}

/** An address without its password and without parameters that are named like secrets. */
export function publicUrl(url: string): Template {
  const secrets: string[] = [];
  const withoutUser = url.replace(/^((?:[a-z][\w+.-]*:)+\/\/)([^/?#]*)@/i, (whole, scheme: string, user: string) => {
    if (hasReference(user)) return whole;
    secrets.push(...user.split(':').flatMap((part) => [part, decoded(part)]));
    return `${scheme}\${URL_USER}:\${URL_PASSWORD}@`;
  });
  const text = withoutUser.replaceAll(
    /([?&#;])([^=&#;?]+)=([^&#;]*)/g,
    (whole, mark: string, name: string, value: string) => {
      if (value === '' || hasReference(value) || !(isSecretName(name) || SECRET_VALUE.test(value))) return whole;
      secrets.push(value, decoded(value));
      return `${mark}${name}=\${${variableFor(name)}}`;
    },
  );
  return { text, secrets };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Arguments of a command, without flags, variables, headers and addresses that are named or look like secrets. */
export function publicArguments(args: readonly string[]): {
  readonly args: readonly string[];
  readonly secrets: readonly string[];
} {
  const shown = args.map((arg, at) => publicArgument(arg, args[at - 1] ?? '', 'secret'));
  return { args: shown.map(({ text }) => text), secrets: shown.flatMap(({ secrets }) => secrets) };
}

/** One word of the command line for a message, also where a typing mistake makes it no address: `https:/user:password@host`. */
export function shownArgument(arg: string): string {
  const [shown = ''] = publicArguments([arg]).args;
  return shown.replaceAll(/[^\s/@:]+:(?!\/\/)[^\s@]+@/g, (user) => (hasReference(user) ? user : `${REDACTED}@`));
}

/** `before` is the argument before it, perhaps its flag; `called` is the name for a secret without one. */
function publicArgument(arg: string, before: string, called: string): Template {
  const flag = /^--?([\w.-]+)$/.exec(before)?.[1] ?? '';
  // `https://...` is an address, not a pair of name and value.
  const [, name = '', mark = '', value = ''] = /^(-{0,2}[A-Za-z_][\w.-]*)(=|:(?!\/\/)\s*)(.+)$/s.exec(arg) ?? [];
  const bare = name.replace(/^-+/, '');
  const isVariable = mark === '=' && (before === '-e' || before === '--env');
  if (name !== '' && (isVariable || isSecretName(bare))) return prefixed(name + mark, secretValue(bare, value));
  if (flag !== '' && isSecretName(flag) && !arg.startsWith('-')) return secretValue(flag, arg);
  if (SECRET_VALUE.test(arg)) return secretValue(called, arg);
  // The value may itself be an address, a header or a pair.
  if (mark === '=') return prefixed(name + mark, publicArgument(value, name, bare));
  return publicUrl(arg);
}

const prefixed = (prefix: string, { text, secrets }: Template): Template => ({ text: `${prefix}${text}`, secrets });

export interface FillOptions {
  readonly env: NodeJS.ProcessEnv;
  /** More variables, such as `workspaceFolder`. */
  readonly known?: Readonly<Record<string, string>>;
  /** The subject of the error message. */
  readonly subject: string;
  /** Called with every value from the environment. */
  readonly onValue?: (value: string) => void;
}

/**
 * Fills in `${NAME}`, `${env:NAME}`, `${NAME:-default}` and `${input:name}` (as `NAME`). Throws INVALID_SETTING for an unset
 * variable.
 */
export function fillIn(template: string, { env, known = {}, subject, onValue }: FillOptions): string {
  return template.replaceAll(REFERENCE, (whole, prefix: string | undefined, name: string, fallback?: string) => {
    const variable = prefix === 'input' ? variableFor(name) : name;
    if (known[name] !== undefined) return known[name];
    const value = env[variable] ?? fallback;
    if (value !== undefined) {
      onValue?.(value);
      return value;
    }
    throw new DowserError(
      'INVALID_SETTING',
      `${subject} needs ${whole}, but the environment variable ${variable} is not set.`,
      {
        field: variable,
        hint: `Set ${variable} and try again.`,
      },
    );
  });
}

/** Shorter values occur in ordinary text. */
const SHORTEST_SECRET = 4;
/** Long or mixed values cannot occur in ordinary text by chance; `production` can. */
const isUnlikely = (secret: string): boolean =>
  secret.length >= 8 && ((/\d/.test(secret) && /\p{L}/u.test(secret)) || /^\S{20,}$/.test(secret));
const REDACTED = '[redacted]';

/** Removes secrets from error messages, program output and server descriptions. */
export class Redactor {
  readonly #secrets: readonly string[];

  constructor(secrets: Iterable<string>) {
    const long = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST_SECRET);
    // Longest first: a secret may contain another.
    this.#secrets = long.sort((a, b) => b.length - a.length);
  }

  text(text: string): string {
    return this.#secrets.reduce((clean, secret) => clean.replaceAll(secret, REDACTED), text);
  }

  /** For stored text: replaces only values that cannot occur by chance. */
  json<T>(value: T): T {
    if (typeof value === 'string') {
      return this.#secrets
        .filter(isUnlikely)
        .reduce<string>((clean, secret) => clean.replaceAll(secret, REDACTED), value) as T;
    }
    if (Array.isArray(value)) return value.map((item) => this.json(item)) as T;
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.json(item)])) as T;
  }

  error(error: DowserError): DowserError {
    const clean = this.text(error.message);
    const hint = this.text(error.ownHint ?? '');
    if (clean === error.message && hint === (error.ownHint ?? '')) return error;
    // Without the cause and the details, which may hold the same secret.
    return new DowserError(error.code, clean, {
      ...(error.ownHint === undefined ? {} : { hint }),
      ...(error.field === undefined ? {} : { field: error.field }),
    });
  }
}
