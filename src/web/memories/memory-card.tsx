import { useState } from 'preact/hooks';
import { useRights } from '../access/access.ts';
import { api, type Memory } from '../data/api.ts';
import { useAction } from '../data/use-load.ts';
import { dateText } from '../data/words.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { TextField } from '../parts/field.tsx';
import { Highlight } from '../parts/highlight.tsx';

interface MemoryCardProps {
  readonly memory: Memory;
  readonly query: string;
  readonly onChanged: () => void;
}

/** One memory. A forgotten one keeps its place until the list changes, with a way back. */
export function MemoryCard({ memory, query, onChanged }: MemoryCardProps) {
  const { content_hash, path, superseded } = memory;
  const { mayWrite } = useRights();
  const [isForgotten, setForgotten] = useState(false);
  const [correction, setCorrection] = useState<string>();
  const forget = useAction(async () => {
    await api.forgetMemories({ body: { content_hash } });
    setForgotten(true);
  });
  const restore = useAction(async () => {
    await api.patchEntity({ params: { type: 'memory', path }, body: { is_enabled: true, deleted_at: null } });
    setForgotten(false);
  });
  const supersede = useAction(async () => {
    await api.storeMemory({ body: { content: correction ?? '', supersedes: content_hash, source_class: 'user' } });
    setCorrection(undefined);
    onChanged();
  });
  const undo = useAction(async () => {
    await api.undoSupersede({ body: { content_hash } });
    onChanged();
  });
  if (isForgotten) {
    return (
      <li class="card row">
        <span class="quiet">Forgotten.</span>
        <button type="button" class="small" disabled={restore.isRunning} onClick={restore.run}>
          Undo
        </button>
        <FailureNote failure={restore.failure} />
      </li>
    );
  }
  return (
    <li class="card memory">
      <p>
        <Highlight text={memory.content} query={query} />
      </p>
      <p class="quiet row">
        {superseded !== null && <span class="badge warn">superseded</span>}
        {memory.tags.map((tag) => (
          <span key={tag} class="badge">
            #<bdi>{tag}</bdi>
          </span>
        ))}
        <span>{memory.source_class ?? 'unknown source'}</span>
        <span>{dateText(memory.created_at_iso)}</span>
        <code>{content_hash.slice(0, 8)}</code>
      </p>
      {mayWrite && (
        <div class="row">
          {superseded === null ? (
            <button
              type="button"
              class="small"
              onClick={() => setCorrection(correction === undefined ? memory.content : undefined)}
            >
              Correct
            </button>
          ) : (
            <button type="button" class="small" disabled={undo.isRunning} onClick={undo.run}>
              Make it current again
            </button>
          )}
          <button type="button" class="small" disabled={forget.isRunning} onClick={forget.run}>
            Forget
          </button>
        </div>
      )}
      {correction !== undefined && (
        <div class="stack">
          <TextField label="What is true now" value={correction} onType={setCorrection} />
          <button
            type="button"
            class="primary small"
            disabled={supersede.isRunning || correction.trim() === '' || correction === memory.content}
            onClick={supersede.run}
          >
            Supersede
          </button>
        </div>
      )}
      <FailureNote failure={forget.failure ?? supersede.failure ?? undo.failure} />
    </li>
  );
}
