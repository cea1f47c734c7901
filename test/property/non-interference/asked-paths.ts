import { contentHash } from '../../../src/registry/write/memory-hash.ts';
import type { Arrival, World } from './world.ts';

/** What a number names in both registries, hidden or not. */
export interface AskedPaths {
  idAt(n: number): { readonly type: Arrival['entity']['type']; readonly path: string; readonly id: string };
  /** The path of an entity of this type, if there is any. */
  pathOf(type: Arrival['entity']['type'], n: number): string;
  /** The beginning of the hash of a memory, as a caller may write it. */
  hashAt(n: number): string;
}

export function askedPaths({ arrivals: chosen, remembered }: World, arrivals: readonly Arrival[]): AskedPaths {
  return {
    idAt(n) {
      const some = n % 5 === 0 ? arrivals : chosen;
      const { type, path } = some[n % some.length]!.entity;
      return { type, path, id: `${type}:${path}` };
    },
    pathOf(type, n) {
      const same = arrivals.filter(({ entity }) => entity.type === type);
      return (same[n % same.length] ?? chosen[n % chosen.length]!).entity.path;
    },
    hashAt(n) {
      const content = remembered[n % (remembered.length + 1)]?.content ?? 'weather of the merger 1';
      return contentHash(content).slice(0, n % 2 === 0 ? 64 : 8);
    },
  };
}
