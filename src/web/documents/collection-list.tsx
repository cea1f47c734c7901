import type { Collection } from '../api.ts';
import { Link } from '../parts/link.tsx';
import { things } from '../words.ts';
import { documentsHref } from './documents-href.ts';

interface CollectionListProps {
  readonly collections: readonly Collection[];
  /** Undefined: all of them are searched. */
  readonly chosen: string | undefined;
}

export function CollectionList({ collections, chosen }: CollectionListProps) {
  if (collections.length === 0) return null;
  return (
    <nav class="collections" aria-label="Collections">
      <Link href={documentsHref({})} isCurrent={chosen === undefined}>
        All collections
        <span class="count">{collections.length}</span>
      </Link>
      {collections.map(({ name, files }) => (
        <Link key={name} href={documentsHref({ collection: name })} isCurrent={name === chosen}>
          <bdi>{name}</bdi>
          <span class="count">{things(files, 'file')}</span>
        </Link>
      ))}
    </nav>
  );
}
