import type { JsonObject } from '../../model/json/json-object.ts';
import { REDACTED } from '../secrets/redactor.ts';
import { type SecretNames, withoutSecrets } from './without-secrets.ts';

/** What became of a field: a field of the entity, or the reason why it was dropped. */
export type FieldFate = { readonly to: string } | { readonly why: string };

/** One line of the account: the same fate of a field, so many times. */
export interface AccountedField {
  readonly collection: string;
  /** Fields of a list have brackets: `tool_list[].schema`. */
  readonly field: string;
  /** `taken` under its own name, `mapped` to another field, or `dropped`. */
  readonly fate: 'taken' | 'mapped' | 'dropped';
  readonly to?: string;
  readonly why?: string;
  readonly count: number;
}

/** What became of every field of every document that was read. */
export class FieldAccount {
  readonly #lines = new Map<string, AccountedField>();

  add(collection: string, field: string, fate: FieldFate): void {
    const key = JSON.stringify([collection, field, fate]);
    const line = this.#lines.get(key) ?? { collection, field, fate: nameOf(field, fate), ...fate, count: 0 };
    this.#lines.set(key, { ...line, count: line.count + 1 });
  }

  /** By collection and field. */
  lines(): readonly AccountedField[] {
    const order = ({ collection, field, fate, to, why }: AccountedField) =>
      JSON.stringify([collection, field, fate, to ?? why]);
    return [...this.#lines.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }
}

const nameOf = (field: string, fate: FieldFate): AccountedField['fate'] =>
  'why' in fate ? 'dropped' : fate.to === field ? 'taken' : 'mapped';

/** How a field of a document is read. `read` gives undefined for a value that cannot be used. */
export type FieldRule =
  | {
      /** The field of the entity; `metadata.owner` is inside. */
      readonly to: string;
      readonly read: (value: unknown) => unknown;
      /** What names inside are that are called like secrets. Default `secrets`. */
      readonly names?: SecretNames;
    }
  | { readonly why: string };

/** In the order of their weight: the first field that fills one of the entity wins. */
export type FieldRules = Readonly<Record<string, FieldRule>>;

/** Told once for each field of a document. */
export type Tell = (field: string, fate: FieldFate) => void;

const ENCRYPTED = 'It is encrypted with the key of the old registry. Enter it again where it is needed.';
const SECRET = 'It looks like a secret.';
const UNKNOWN = 'Dowser has no such field.';
const EMPTY = 'It is empty.';

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);

/** The fields of an entity from a document. Each field of the document is told of, whatever becomes of it. */
export function readFields(document: JsonObject, rules: FieldRules, tell: Tell): Record<string, unknown> {
  const entity: Record<string, unknown> = {};
  for (const [field, rule] of Object.entries(rules)) {
    if (!Object.hasOwn(document, field)) continue;
    const fate = applyRule(entity, document[field], rule, (place) => tell(`${field}.${place}`, { why: SECRET }));
    tell(field, fate);
  }
  for (const field of Object.keys(document)) {
    if (!Object.hasOwn(rules, field)) tell(field, { why: field.endsWith('_encrypted') ? ENCRYPTED : UNKNOWN });
  }
  return entity;
}

function applyRule(
  entity: Record<string, unknown>,
  value: unknown,
  rule: FieldRule,
  onSecret: (place: string) => void,
): FieldFate {
  if ('why' in rule) return rule;
  const { to, read, names } = rule;
  if (isEmpty(value)) return { why: EMPTY };
  const usable = read(value);
  if (usable === undefined) return { why: 'Its value cannot be used.' };
  const { value: clean, removed } = withoutSecrets(usable, names);
  const [own, inside] = to.split('.') as [string, string | undefined];
  const holder = inside === undefined ? entity : { ...(entity[own] as JsonObject | undefined) };
  if (Object.hasOwn(holder, inside ?? own)) {
    return {
      why: holder[inside ?? own] === clean ? `Another field has the same ${to}.` : `Another field has filled ${to}.`,
    };
  }
  if (clean === REDACTED) return { why: SECRET };
  for (const place of new Set(removed)) onSecret(place === '' ? '(part)' : place);
  holder[inside ?? own] = clean;
  if (inside !== undefined) entity[own] = holder;
  return { to };
}
