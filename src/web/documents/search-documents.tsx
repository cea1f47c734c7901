import { api } from '../api.ts';
import { navigate } from '../navigation.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Warnings } from '../parts/warnings.tsx';
import { SearchBox } from '../search/search-box.tsx';
import { useLoad } from '../use-load.ts';
import { things } from '../words.ts';
import { ChunkCard } from './chunk-card.tsx';
import { documentsHref } from './documents-href.ts';

const SHOWN = 20;

interface SearchDocumentsProps {
  /** Empty: all of them. */
  readonly collection: string;
  readonly query: string;
}

/** Chunks, as you type. */
export function SearchDocuments({ collection, query }: SearchDocumentsProps) {
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
            {shown.no_match ? 'Nothing fits' : things(shown.results.length, 'hit')}
            <span class="quiet"> · {shown.mode === 'hybrid' ? 'by keyword and meaning' : 'by keyword only'}</span>
          </p>
          <Warnings list={shown.warnings} />
          {shown.no_match && chunks.length > 0 && <p>The nearest are below.</p>}
          <ol class="results" aria-label={shown.no_match ? 'Nearest' : 'Hits'}>
            {chunks.map((chunk) => (
              <ChunkCard key={chunk.chunk_id} chunk={chunk} query={shown.query} />
            ))}
          </ol>
        </div>
      )}
    </>
  );
}
