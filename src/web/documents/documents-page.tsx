import { useRights } from '../access/access.ts';
import type { Collection } from '../data/api.ts';
import { api } from '../data/api.ts';
import type { PageProps } from '../data/navigation.ts';
import { hrefOf, navigate } from '../data/navigation.ts';
import { useLoad } from '../data/use-load.ts';
import { things } from '../data/words.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { Link } from '../parts/link.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Warnings } from '../parts/warnings.tsx';
import { SearchBox } from '../search/search-box.tsx';
import { AskCollection } from './ask-collection.tsx';
import { ChunkCard } from './chunk-card.tsx';
import { CollectionCard } from './collection-card.tsx';
import { CreateCollection } from './create-collection.tsx';
import { documentsHref } from './documents-href.ts';

const SHOWN = 20;

interface SearchDocumentsProps {
  /** Empty: all of them. */
  readonly collection: string;
  readonly query: string;
}

interface CollectionListProps {
  readonly collections: readonly Collection[];
  /** Undefined: all of them are searched. */
  readonly chosen: string | undefined;
}

/** Collections of documents: what is in them, and on which page. */
export function DocumentsPage({ address: { query } }: PageProps) {
  const { mayWrite } = useRights();
  const { latest, failure, reload } = useLoad('collections', async (signal) => {
    const [{ collections }, { index }] = await Promise.all([
      api.listCollections({}, { signal }),
      api.health({}, { signal }),
    ]);
    // A collection is a document of the registry itself, and a file in two of them is one document.
    const collected = collections.reduce((count, { files }) => count + files + 1, 0);
    return { collections, others: (index.by_type.document ?? 0) - collected };
  });
  const chosen = query.get('collection') ?? '';
  const isAsking = query.get('mode') === 'ask' && chosen !== '';
  const q = query.get('q') ?? '';
  const collections = latest?.collections ?? [];
  const collection = collections.find(({ name }) => name.toLowerCase() === chosen.toLowerCase());
  const isEmpty = latest !== undefined && collections.length === 0;
  return (
    <>
      <PageHead title="Documents">
        Search your own files by their content, and see the page or the lines of each passage that fits. To follow a
        folder, use <code>dowser docs add</code>.
      </PageHead>
      <FailureNote failure={failure} />
      <div class="columns documents">
        <div class="stack collection-list">
          <CollectionList collections={collections} chosen={collection?.name} />
          <Uncollected count={latest?.others ?? 0} />
        </div>
        <div class="stack documents-main">
          {isEmpty ? (
            <section class="empty">
              <h2>There is no collection yet</h2>
              <p>{mayWrite ? 'Create a collection and add your documents, or read a folder:' : 'Read a folder:'}</p>
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

/** Documents that were imported without a collection. Only the ordinary search finds them. */
function Uncollected({ count }: { readonly count: number }) {
  if (count <= 0) return null;
  return (
    <p class="quiet">
      <Link href={hrefOf('/', { type: 'document' })}>{things(count, 'document')}</Link> {count === 1 ? 'is' : 'are'} in
      no collection: Search finds {count === 1 ? 'it' : 'them'}.
    </p>
  );
}

/** Passages, as you type. */
function SearchDocuments({ collection, query }: SearchDocumentsProps) {
  const { value, latest, failure } = useLoad(`${collection} ${query}`, async (signal) => {
    if (query.trim() === '') return undefined;
    const body = { query, limit: SHOWN, ...(collection === '' ? {} : { collections: [collection] }) };
    return api.searchDocuments({ body }, { signal });
  });
  const shown = query.trim() === '' ? undefined : latest;
  const chunks = shown === undefined ? [] : shown.no_match ? shown.nearest : shown.results;
  const where = collection === '' ? 'all collections' : collection;
  return (
    <>
      <SearchBox
        value={query}
        label={`Search ${where}`}
        placeholder={`Search ${where}`}
        onType={(q) => navigate(documentsHref({ collection, q }), 'replace')}
      />
      <FailureNote failure={failure} />
      {shown !== undefined && (
        <div class="found" aria-busy={value === undefined && failure === undefined}>
          <p class="summary" role="status">
            {shown.no_match ? 'Nothing fits' : things(shown.results.length, 'passage')}
            <span class="quiet"> · {shown.mode === 'hybrid' ? 'by keyword and meaning' : 'by keyword only'}</span>
          </p>
          <Warnings list={shown.warnings} />
          {shown.no_match && chunks.length > 0 && <p>The nearest are below.</p>}
          <ol class="results" aria-label={shown.no_match ? 'Nearest' : 'Passages'}>
            {chunks.map((chunk) => (
              <ChunkCard key={chunk.chunk_id} chunk={chunk} query={shown.query} />
            ))}
          </ol>
        </div>
      )}
    </>
  );
}

function CollectionList({ collections, chosen }: CollectionListProps) {
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
          <span class="count">{things(files, 'document')}</span>
        </Link>
      ))}
    </nav>
  );
}
