import { type Entity, type EntityId, idOf } from '../../model/entity.ts';
import type { Edge } from '../../model/entity-parts/edge.ts';
import type { Derivation } from './derivation.ts';
import { FirstEdges } from './first-edges.ts';
import { GroupIndex } from './group-index.ts';

/** Words with a separator inside: a name or a path, not a word of the language. Starts at a word only: time stays linear. */
const NAME = /[@/]?(?<![a-z0-9])[a-z0-9]+(?:[-_./][a-z0-9]+)+/g;
const MIN_CHARS = 5;
const MAX_MENTIONS = 100;
const MAX_TEXT = 20_000;

/** The text of an entity names another entity by its path or its name. */
export class MentionLinks implements Derivation {
  readonly #named = new GroupIndex<EntityId>();
  readonly #mentioning = new GroupIndex<EntityId>();
  readonly #names = new Map<EntityId, readonly string[]>();
  readonly #mentions = new Map<EntityId, readonly string[]>();

  add(entity: Entity): void {
    const id = idOf(entity);
    const names = namesOf(entity);
    const mentions = mentionsIn(entity);
    if (names.length > 0) this.#names.set(id, names);
    if (mentions.length > 0) this.#mentions.set(id, mentions);
    for (const name of names) this.#named.add(name, id);
    for (const name of mentions) this.#mentioning.add(name, id);
  }

  remove(id: EntityId): void {
    for (const name of this.#names.get(id) ?? []) this.#named.delete(name, id);
    for (const name of this.#mentions.get(id) ?? []) this.#mentioning.delete(name, id);
    this.#names.delete(id);
    this.#mentions.delete(id);
  }

  around(node: EntityId, isVisible: (node: EntityId) => boolean): readonly Edge[] {
    const edges = new FirstEdges(isVisible);
    for (const name of this.#mentions.get(node) ?? [])
      for (const other of this.#named.get(name)) edges.add(node, other, name);
    for (const name of this.#names.get(node) ?? [])
      for (const other of this.#mentioning.get(name)) edges.add(other, node, name);
    return edges.take('mention', 'INTEGRATES_WITH');
  }
}

function namesOf({ path, name }: Entity): readonly string[] {
  const names = [path, path.replace(/^\//, ''), name].map((text) => text.toLowerCase());
  return [...new Set(names)].filter((text) => text.length >= MIN_CHARS && /[-_./]/.test(text.slice(1)));
}

function mentionsIn(entity: Entity): readonly string[] {
  const body = entity.type === 'skill' ? `\n${entity.body}` : '';
  const text = `${entity.description}${body}`.slice(0, MAX_TEXT).toLowerCase();
  const found = new Set<string>();
  for (const [name] of text.matchAll(NAME)) {
    if (name.length >= MIN_CHARS && found.size < MAX_MENTIONS) found.add(name);
  }
  return [...found];
}
