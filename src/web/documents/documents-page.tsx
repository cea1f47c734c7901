import { useRights } from '../access/access.ts';
import { api } from '../api.ts';
import type { PageProps } from '../navigation.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { Link } from '../parts/link.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useLoad } from '../use-load.ts';
import { AskCollection } from './ask-collection.tsx';
import { CollectionCard } from './collection-card.tsx';
import { CollectionList } from './collection-list.tsx';
import { CreateCollection } from './create-collection.tsx';
import { documentsHref } from './documents-href.ts';
import { SearchDocuments } from './search-documents.tsx';

/** Collections of documents: what is in them, and on which page. */
export function DocumentsPage({ address: { query } }: PageProps) {
  const { mayWrite } = useRights();
  const { latest, failure, reload } = useLoad('collections', (signal) => api.listCollections({}, { signal }));
  const chosen = query.get('collection') ?? '';
  const isAsking = query.get('mode') === 'ask' && chosen !== '';
  const q = query.get('q') ?? '';
  const collections = latest?.collections ?? [];
  const collection = collections.find(({ name }) => name.toLowerCase() === chosen.toLowerCase());
  const isEmpty = latest !== undefined && collections.length === 0;
  return (
    <>
      <PageHead title="Documents">
        Search your own documents, and see the page or the lines that a hit is on. To follow a folder, use{' '}
        <code>dowser docs add</code>.
      </PageHead>
      <FailureNote failure={failure} />
      <div class="columns documents">
        <CollectionList collections={collections} chosen={collection?.name} />
        <div class="stack documents-main">
          {isEmpty ? (
            <section class="empty">
              <h2>There are no documents yet</h2>
              <p>{mayWrite ? 'Create a collection and send it files, or read a folder:' : 'Read a folder:'}</p>
              <CodeBlock text="dowser docs add ./handbook --name handbook" />
            </section>
          ) : (
            <>
              {chosen !== '' && (
                <nav class="row ways" aria-label="How to find it">
                  <Link href={documentsHref({ collection: chosen, q })} isCurrent={!isAsking}>
                    Search
                  </Link>
                  <Link href={documentsHref({ collection: chosen, mode: 'ask', q })} isCurrent={isAsking}>
                    Ask
                  </Link>
                </nav>
              )}
              {isAsking ? (
                <AskCollection key={chosen} collection={chosen} />
              ) : (
                <SearchDocuments collection={chosen} query={q} />
              )}
            </>
          )}
        </div>
        <div class="stack documents-side">
          {collection !== undefined && (
            <CollectionCard key={collection.name} collection={collection} mayWrite={mayWrite} onChanged={reload} />
          )}
          {mayWrite && <CreateCollection onCreated={reload} />}
        </div>
      </div>
    </>
  );
}
