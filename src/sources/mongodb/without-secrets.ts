import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { REDACTED } from '../secrets/redactor.ts';
import { isSecretName, publicUrl } from '../secrets/secret-references.ts';

/** Keys of well-known services, tokens, and what stands after the name of a scheme: at any place of a text. */
const KEYS =
  /\b(?:(?:sk-|gh[opsu]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|hf_|npm_)(?=[\w.-]{0,80}\d)[\w.-]{12,}|eyJ[\w-]{8,400}\.eyJ[\w.-]{8,})|(?<=\b(?:Bearer|Basic)\s)[\w+/=.-]{16,}/g;

/** A user and a password in an address, also within a sentence. */
const USER_IN_ADDRESS = /(?<![\w+.-])([a-z][\w+.-]{0,20}:\/\/)[^\s/?#@:]{1,256}:[^\s/?#@]{1,256}@/gi;

export type SecretNames = 'secrets' | 'parameters' | 'schemes';

export interface WithoutSecrets {
  readonly value: unknown;
  /** Where something was removed, as dot paths; '' is the value itself. */
  readonly removed: readonly string[];
}

/**
 * A value of a document without what looks like a secret, and without fields that are called like a secret. `names` tells what
 * else such a name may be: in a JSON Schema that of a parameter, on the first level of security schemes that of a scheme.
 */
export function withoutSecrets(value: unknown, names: SecretNames = 'secrets'): WithoutSecrets {
  const removed: string[] = [];
  const clean = (item: unknown, at: string): unknown => {
    if (typeof item === 'string') {
      const text = publicUrl(item).text.replaceAll(KEYS, REDACTED).replaceAll(USER_IN_ADDRESS, shownUser);
      if (text !== item) removed.push(at);
      return text;
    }
    if (Array.isArray(item)) return item.map((one) => clean(one, at));
    return isJsonObject(item) ? cleanObject(item, at) : item;
  };
  const cleanObject = (object: JsonObject, at: string): JsonObject =>
    Object.fromEntries(
      Object.entries(object).flatMap(([key, item]) => {
        const place = at === '' ? key : `${at}.${key}`;
        const isOther = names === 'parameters' || (names === 'schemes' && at === '' && typeof item === 'object');
        if (isOther || !isSecretName(key) || !isFilled(item)) return [[key, clean(item, place)]];
        removed.push(place);
        return [];
      }),
    );
  return { value: clean(value, ''), removed };
}

/** References that `publicUrl` has put there stay. */
const shownUser = (whole: string, scheme: string): string => (whole.includes('${') ? whole : `${scheme}${REDACTED}@`);

/** A reference to a variable is no secret. */
const isFilled = (value: unknown): boolean =>
  (typeof value === 'string' && value !== '' && !/^\$\{\w+\}$/.test(value)) ||
  typeof value === 'number' ||
  (typeof value === 'object' && value !== null && Object.keys(value).length > 0);
