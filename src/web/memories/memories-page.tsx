import { useState } from 'preact/hooks';
import { useRights } from '../access/access.ts';
import { api, type Memory } from '../data/api.ts';
import { hrefOf, navigate, type PageProps } from '../data/navigation.ts';
import { useAction, useLoad } from '../data/use-load.ts';
import { things } from '../data/words.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Field, TextField } from '../parts/field.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { SearchBox } from '../search/search-box.tsx';
import { Audit } from './audit.tsx';
import { MemoryCard } from './memory-card.tsx';

const SHOWN = 50;

/** The life of memories: found, added, superseded, forgotten. */
export function MemoriesPage({ address }: PageProps) {
  const query = address.query.get('q') ?? '';
  const withHistory = address.query.get('history') === '1';
  const go = (q: string, history = withHistory) =>
    navigate(hrefOf('/ui/memories', { q, history: history ? '1' : '' }), 'replace');
  const [turn, setTurn] = useState(0);
  const { latest: memories = [], failure } = useLoad(
    `${turn} ${withHistory} ${query}`,
    async (signal): Promise<readonly Memory[]> => {
      const include_superseded = withHistory;
      if (query.trim() === '') {
        const body = { page_size: SHOWN, include_superseded };
        return (await api.listMemories({ body }, { signal })).memories;
      }
      const found = await api.searchMemories({ body: { query, limit: SHOWN, include_superseded } }, { signal });
      return found.memories.length === 0 ? found.nearest : found.memories;
    },
  );
  const { mayWrite } = useRights();
  const changed = () => setTurn(turn + 1);
  return (
    <>
      <PageHead title="Memories">
        Search, add, correct and forget what agents have learned. A corrected fact stays as history, and never comes
        first.
      </PageHead>
      <SearchBox value={query} label="Search memories" placeholder="Search memories" onType={(q) => go(q)} />
      <div class="columns memories">
        <section aria-label="Memories">
          <div class="found-head">
            <p role="status">{things(memories.length, 'memory', 'memories')}</p>
            <label class="check">
              <input type="checkbox" checked={withHistory} onChange={() => go(query, !withHistory)} />
              With history
            </label>
          </div>
          <FailureNote failure={failure} />
          <ul class="stack">
            {memories.map((memory) => (
              <MemoryCard key={memory.content_hash} memory={memory} query={query} onChanged={changed} />
            ))}
          </ul>
        </section>
        <div class="stack">
          {mayWrite && <AddMemory onAdded={changed} />}
          <Audit onChanged={changed} />
        </div>
      </div>
    </>
  );
}

function AddMemory({ onAdded }: { readonly onAdded: () => void }) {
  const [content, setContent] = useState('');
  const [tags, setTags] = useState('');
  const [note, setNote] = useState('');
  const add = useAction(async () => {
    const { success, near_duplicates: near } = await api.storeMemory({ body: { content, tags, source_class: 'user' } });
    const similar = near.length === 0 ? 'Stored.' : `Stored. ${near.length} say nearly the same.`;
    setNote(success ? similar : 'It is stored already.');
    if (success) setContent('');
    onAdded();
  });
  return (
    <form
      class="card form"
      onSubmit={(event) => {
        event.preventDefault();
        add.run();
      }}
    >
      <h2>Add a memory</h2>
      <TextField label="What is true" value={content} onType={setContent} />
      <Field label="Tags, with commas" value={tags} onType={setTags} />
      <button type="submit" class="primary" disabled={add.isRunning || content.trim() === ''}>
        Add
      </button>
      <p role="status">{note}</p>
      <FailureNote failure={add.failure} />
    </form>
  );
}
