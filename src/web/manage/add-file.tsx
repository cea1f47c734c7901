import { useState } from 'preact/hooks';
import { api, type Failure, toFailure } from '../data/api.ts';
import { countText, things } from '../data/words.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { entitiesOfFile } from './entities-of-file.ts';

/** Small enough for steady progress, large enough for few requests. */
const BATCH = 100;

interface Progress {
  readonly done: number;
  readonly total: number;
  readonly created: number;
  readonly updated: number;
}

type Entities = Parameters<typeof api.putEntities>[0]['body']['entities'];

/** Entities of a file, in batches. Vectors follow in the background. */
export function AddFile() {
  const [progress, setProgress] = useState<Progress>();
  const [failure, setFailure] = useState<Failure>();
  const read = async (file: File) => {
    setFailure(undefined);
    setProgress(undefined);
    const entities = entitiesOfFile(await file.text());
    let state: Progress = { done: 0, total: entities.length, created: 0, updated: 0 };
    setProgress(state);
    for (let at = 0; at < entities.length; at += BATCH) {
      const batch = entities.slice(at, at + BATCH);
      const { created, updated } = await api.putEntities({
        query: { vectors: 'later', lifecycle: 'keep' },
        // The server checks every entity, and says what is wrong with it.
        body: { entities: batch as unknown as Entities },
      });
      state = {
        ...state,
        done: at + batch.length,
        created: state.created + created,
        updated: state.updated + updated,
      };
      setProgress(state);
    }
  };
  return (
    <div class="stack">
      <label class="stacked">
        <span class="legend">A JSON or JSON Lines file of entities, such as one of `dowser export`</span>
        <input
          type="file"
          accept=".json,.jsonl,.ndjson,application/json"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            if (file !== undefined) read(file).catch((thrown: unknown) => setFailure(toFailure(thrown)));
          }}
        />
      </label>
      {progress !== undefined && (
        <div role="status">
          <progress value={progress.done} max={Math.max(1, progress.total)} aria-label="Entities stored" />
          <p>
            {countText(progress.done)} of {things(progress.total, 'entity', 'entities')}: {countText(progress.created)}{' '}
            added, {countText(progress.updated)} replaced.
          </p>
        </div>
      )}
      <FailureNote failure={failure} />
    </div>
  );
}
