/** Members by key, without empty groups. */
export class GroupIndex<M> {
  readonly #groups = new Map<string, Set<M>>();

  add(key: string, member: M): void {
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, new Set([member]));
    else group.add(member);
  }

  delete(key: string, member: M): void {
    const group = this.#groups.get(key);
    if (group?.delete(member) === true && group.size === 0) this.#groups.delete(key);
  }

  get(key: string): ReadonlySet<M> {
    return this.#groups.get(key) ?? EMPTY;
  }
}

const EMPTY: ReadonlySet<never> = new Set();
