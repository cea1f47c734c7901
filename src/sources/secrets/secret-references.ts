import { DowserError } from '../../model/errors/errors.ts';
import { trimChars } from '../../model/text/trim-chars.ts';
import type { ReadKeychain } from './keychain.ts';
import { REDACTED, type Secret } from './redactor.ts';

/**
 * Text that may be stored, with a reference such as `${API_KEY}` in place of each secret. Filling in the references from the
 * environment restores the original text.
 */
export interface Template {
  readonly text: string;
  /** The removed secrets, so that messages can be redacted too. */
  readonly secrets: readonly Secret[];
}

const REFERENCE = /\$\{(?:(env|input|keychain):)?([\w.-]+)(?::-([^{}]*))?\}/g;
const SECRET_NAME =
  /(?:api[-_.]?key|access[-_.]?key|token|secret|passw(?:or)?d|passphrase|pwd|credentials?|bearer|authorization|cookie|signature|(?:^|[-_.])(?:key|pass|pat|auth|sig))$/i;
/** Key prefixes of well-known services, and the start of a JSON Web Token. */
const SECRET_VALUE = /^(?:sk-|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|hf_|npm_|eyJ[\w-]+\.eyJ)[\w.-]{8,}$/;

/** `x-api-key` -> `X_API_KEY`: the environment variable of a secret. */
export function variableFor(name: string): string {
  return trimChars(name.replaceAll(/[^A-Za-z0-9]+/g, '_'), '_').toUpperCase();
}

/** `DISABLE_AUTH=true` */
const NO_SECRET = /^(?:true|false|none|null)$/i;

/** `name` is that of a variable, a header, a flag or a parameter. */
export const toSecret = (name: string, value: string): Secret => ({
  value,
  isNamed: isSecretName(name) && !NO_SECRET.test(value),
});

export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

const hasReference = (text: string): boolean => new RegExp(REFERENCE.source).test(text);

/** Replaces a whole value, such as that of a header. Keeps its scheme (`Bearer`). */
export function secretValue(name: string, value: string): Template {
  if (hasReference(value)) return { text: value, secrets: [] };
  const [, scheme = '', secret = ''] = /^((?:Bearer|Basic|Token)\s+)?(.*)$/is.exec(value) ?? [];
  return { text: `${scheme}\${${variableFor(name)}}`, secrets: [toSecret(name, secret)] };
}

const MONGODB = /^mongodb(?:\+srv)?:\/\//i;
const BEFORE_HOST = /^((?:[a-z][\w+.-]*:)+\/\/)([^/?#]*)@/i;
/** People write passwords with `/`, `?` and `#` into addresses of MongoDB. */
const BEFORE_LAST_AT = /^([a-z+]+:\/\/)(.*)@/is;

/** Whether the password before the first `@`, or the user alone, is a reference. */
const isReferenced = (user: string): boolean =>
  /^(?:[^:/?#@]*:)?\uE000(?:@|$)/.test(user.replaceAll('\uE000', '').replaceAll(REFERENCE, '\uE000'));

/** An address without its password and without parameters that are named like secrets. */
export function publicUrl(url: string): Template {
  const secrets: Secret[] = [];
  const before = MONGODB.test(url) ? BEFORE_LAST_AT : BEFORE_HOST;
  const withoutUser = url.replace(before, (whole, scheme: string, user: string) => {
    if (before === BEFORE_LAST_AT ? isReferenced(user) : hasReference(user)) return whole;
    const [name = '', ...rest] = user.split(':');
    // Without a password, the user is a token.
    secrets.push(...inAddress(name, rest.length === 0), ...inAddress(rest.join(':'), true));
    return `${scheme}\${URL_USER}:\${URL_PASSWORD}@`;
  });
  const text = withoutUser.replaceAll(
    /([?&#;])([^=&#;?]+)=([^&#;]*)/g,
    (whole, mark: string, name: string, value: string) => {
      if (value === '' || hasReference(value) || !(isSecretName(name) || SECRET_VALUE.test(value))) return whole;
      secrets.push(...inAddress(value, isSecretName(name)));
      return `${mark}${name}=\${${variableFor(name)}}`;
    },
  );
  return { text, secrets };
}

const inAddress = (text: string, isNamed: boolean): readonly Secret[] =>
  text === '' ? [] : [...new Set([text, decoded(text)])].map((value) => ({ value, isNamed }));

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
  readonly secrets: readonly Secret[];
} {
  const shown = args.map((arg, at) => publicArgument(arg, args[at - 1] ?? '', 'secret'));
  return { args: shown.map(({ text }) => text), secrets: shown.flatMap(({ secrets }) => secrets) };
}

/** What is before an `@`, and where the user in it begins. Both start at the first of their characters only: time stays linear. */
const BEFORE_AT = /(?<![^\s@])[^\s@]+@/g;
const USER_START = /(?<![^/:])[^/:]+:(?!\/\/)(?!@)/;

/** One word of the command line for a message, also where a typing mistake makes it no address: `https:/user:password@host`. */
export function shownArgument(arg: string): string {
  const [shown = ''] = publicArguments([arg]).args;
  return shown.replaceAll(BEFORE_AT, (text) => {
    const at = text.search(USER_START);
    return at === -1 || hasReference(text.slice(at)) ? text : `${text.slice(0, at)}${REDACTED}@`;
  });
}

/** Short flags that often take a secret, and what their variable is called. */
const SHORT_FLAGS: Readonly<Record<string, string>> = { k: 'key', p: 'password', s: 'secret', t: 'token' };
/** A long run of letters and digits with both: people do not type that as a name. */
const isGenerated = (value: string): boolean =>
  (value.match(/[A-Za-z0-9]{12,}/g) ?? []).some((run) => /\d/.test(run) && /[A-Za-z]/.test(run));
/** A number, a path or an address. */
const isPlain = (value: string): boolean => /^\d{1,6}$|^[.~]{0,2}\/|:\/\//.test(value);

/**
 * The secret after a short flag. `-k` takes a key. The others often take something else, such as a port, so their value must
 * look generated. `-u` takes a user and a password, but also the numbers of a user and a group.
 */
function shortFlagValue(flag: string, value: string): Template | undefined {
  if (value.startsWith('-') || isPlain(value)) return undefined;
  const [, user, password = ''] = /^([^:@/]*):(.+)$/.exec(value) ?? [];
  if (flag === 'u' && user !== undefined && !/^\d+:\d+$/.test(value))
    return hasReference(value) ? undefined : prefixed(`${user}:`, secretValue('password', password));
  const called = SHORT_FLAGS[flag];
  return called !== undefined && (flag === 'k' || isGenerated(value)) ? secretValue(called, value) : undefined;
}

/** `before` is the argument before it, perhaps its flag; `called` is the name for a secret without one. */
function publicArgument(arg: string, before: string, called: string): Template {
  const flag = /^--?([\w.-]+)$/.exec(before)?.[1] ?? '';
  // `https://...` is an address, not a pair of name and value.
  const [, name = '', mark = '', value = ''] = /^(-{0,2}[A-Za-z_][\w.-]*)(=|:(?!\/\/)\s*)(.+)$/s.exec(arg) ?? [];
  // `-eNAME=VALUE`, as one word. `-ext=json` is another flag.
  const [, variable = ''] = (mark === '=' && /^-e(.+)$/.exec(name)) || [];
  if (/^[A-Z_]/.test(variable) || isSecretName(variable)) return prefixed(name + mark, secretValue(variable, value));
  const bare = name.replace(/^-+/, '');
  const isVariable = mark === '=' && (before === '-e' || before === '--env');
  if (name !== '' && (isVariable || isSecretName(bare))) return prefixed(name + mark, secretValue(bare, value));
  if (flag !== '' && isSecretName(flag) && !arg.startsWith('-')) return secretValue(flag, arg);
  const short = shortFlagValue(/^-([a-z])$/.exec(before)?.[1] ?? '', arg);
  if (short !== undefined) return short;
  // `-kVALUE`, as one word.
  const [, joined = '', rest = ''] = /^-([kpst])([^=\s].*)$/s.exec(arg) ?? [];
  if (isGenerated(rest)) return prefixed(`-${joined}`, secretValue(SHORT_FLAGS[joined] ?? called, rest));
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
  /** Default: references to a keychain are refused. */
  readonly keychain?: ReadKeychain | undefined;
  /** The subject of the error message. */
  readonly subject: string;
  /** Called with every value from the environment or the keychain. */
  readonly onValue?: (secret: Secret) => void;
}

/**
 * Fills in `${NAME}`, `${env:NAME}`, `${NAME:-default}`, `${input:name}` (as `NAME`) and `${keychain:name}`. Throws INVALID_SETTING
 * for an unset variable, and for what is not in the keychain.
 */
export async function fillIn(template: string, options: FillOptions): Promise<string> {
  let filled = '';
  let from = 0;
  // One after the other: a keychain may ask its user.
  for (const found of template.matchAll(REFERENCE)) {
    filled += template.slice(from, found.index) + (await filledValue(found, options));
    from = found.index + found[0].length;
  }
  return filled + template.slice(from);
}

async function filledValue(found: RegExpExecArray, options: FillOptions): Promise<string> {
  const { env, known = {}, keychain, subject, onValue } = options;
  const [whole, prefix, name = '', fallback] = found;
  if (prefix === 'keychain') {
    if (keychain === undefined) {
      throw new DowserError('INVALID_SETTING', `${subject} needs ${whole}, but no keychain is read here.`, {
        field: name,
        hint: 'Add it on the machine of the keychain with `dowser add`.',
      });
    }
    const value = await keychain(name, whole, subject);
    // Whatever it is called, it was kept as a secret.
    onValue?.({ value, isNamed: true });
    return value;
  }
  const variable = prefix === 'input' ? variableFor(name) : name;
  if (known[name] !== undefined) return known[name];
  const value = env[variable] ?? fallback;
  if (value !== undefined) {
    onValue?.(toSecret(variable, value));
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
}
