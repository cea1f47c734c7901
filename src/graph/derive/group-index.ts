/** Members by key, without empty groups. Most groups have one member, which is kept without a set: sets take much room. */
export class GroupIndex<M extends string | object> {
  readonly #groups = new Map<string, M | Group<M>>();

  add(key: string, member: M): void {
    const known = this.#groups.get(key);
    if (known === undefined) this.#groups.set(key, member);
    else if (known instanceof Group) known.members.add(member);
    else if (known !== member) this.#groups.set(key, new Group([known, member]));
  }

  delete(key: string, member: M): void {
    const known = this.#groups.get(key);
    if (known === member) this.#groups.delete(key);
    else if (known instanceof Group && known.members.delete(member) && known.members.size === 0)
      this.#groups.delete(key);
  }

  get(key: string): Iterable<M> {
    const known = this.#groups.get(key);
    if (known === undefined) return [];
    return known instanceof Group ? known.members : [known];
  }
}

class Group<M> {
  readonly members: Set<M>;

  constructor(members: readonly M[]) {
    this.members = new Set(members);
  }
}
