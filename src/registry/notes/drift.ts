import { createHash } from 'node:crypto';
import { canonicalJson, type Definitions } from '../../model/definitions.ts';
import type { EntityId } from '../../model/entity.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import type { Change, Drift } from '../contract/observation.ts';

const MAX_CHANGES = 5;
const SHOWN_CHARS = 80;

/** The names of changed and added definitions, by entity. */
export type Drifted = ReadonlyMap<EntityId, ReadonlySet<string>>;

export function changedNames(drift: unknown): ReadonlySet<string> {
  const { added, changed } = drift as Drift;
  return new Set([...added, ...changed.map(({ name }) => name)]);
}

export function digestOf(value: unknown): string {
  return `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
}

/** The differences, sorted by name. Null if there are none. */
export function compareDefinitions(before: Definitions, after: Definitions, since: string): Drift | null {
  const names = (definitions: Definitions) => Object.keys(definitions).sort();
  const added = names(after).filter((name) => !Object.hasOwn(before, name));
  const removed = names(before).filter((name) => !Object.hasOwn(after, name));
  const changed = names(after).flatMap((name) => {
    if (!Object.hasOwn(before, name)) return [];
    const [was, is] = [before[name], after[name]];
    if (canonicalJson(was) === canonicalJson(is)) return [];
    const changes = differences(was, is, '').slice(0, MAX_CHANGES);
    return [{ name, digest: { before: digestOf(was), after: digestOf(is) }, changes }];
  });
  return added.length + removed.length + changed.length === 0 ? null : { since, added, removed, changed };
}

function differences(before: unknown, after: unknown, at: string): Change[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => differences(before[key], after[key], at === '' ? key : `${at}.${key}`));
  }
  if (canonicalJson(before ?? null) === canonicalJson(after ?? null)) return [];
  return [{ at, ...shortened(shown(before), shown(after)) }];
}

const shown = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : canonicalJson(value);

/** Both texts around the first difference. */
function shortened(before: string, after: string): Pick<Change, 'before' | 'after'> {
  let same = 0;
  while (same < before.length && same < after.length && before[same] === after[same]) same++;
  const from = Math.max(0, same - SHOWN_CHARS / 4);
  const cut = (text: string) =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + SHOWN_CHARS)}${text.length > from + SHOWN_CHARS ? '…' : ''}`;
  return { before: cut(before), after: cut(after) };
}
