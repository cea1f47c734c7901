import { entityId } from '../../model/entity.ts';
import type { FollowedValues, LocalRegistry, ScopedRegistry } from '../../registry/contract/registry.ts';
import { FILE_NOTE, type FileNote } from './file-notes.ts';

/** How many files and chunks a collection has. */
export interface Counts {
  readonly files: number;
  readonly chunks: number;
}

/** Of each collection that has files, by its name. */
export type CountsByCollection = ReadonlyMap<string, Counts>;

/** Where a file is, and how many chunks it has. */
export interface FollowedFile {
  readonly files: FileNote['files'];
  readonly chunks: number;
}

/** The places of all files, kept in memory: a note has more, and there are thousands. */
export function followFiles(registry: LocalRegistry): FollowedValues<FollowedFile> {
  return registry.follow(FILE_NOTE, (note) => {
    const { files, chunks } = note as FileNote;
    return { files, chunks };
  });
}

/** The counts of the files that the caller may read. `readers` null: all of them. */
export async function countFiles(
  followed: FollowedValues<FollowedFile>,
  registry: ScopedRegistry,
  readers: readonly string[] | null,
): Promise<CountsByCollection> {
  const files = await followed.read();
  const counts = new Map<string, { files: number; chunks: number }>();
  const count = ({ files, chunks }: FollowedFile) => {
    for (const collection of new Set(files.map((file) => file.collection))) {
      const sum = counts.get(collection) ?? { files: 0, chunks: 0 };
      counts.set(collection, { files: sum.files + 1, chunks: sum.chunks + chunks });
    }
  };
  if (readers === null) for (const file of files.values()) count(file);
  else {
    for (const { path } of await registry.rows('document')) {
      const file = files.get(entityId('document', path));
      if (file !== undefined) count(file);
    }
  }
  return counts;
}
