import type { Health } from '../data/api.ts';
import { countText, percent } from '../data/words.ts';
import { Banner } from '../parts/banner.tsx';
import { useHealth } from './health.ts';

/** Says why searches are limited, and how far the vectors are. Nothing while all is well. */
export function HealthBanner() {
  const { health, failure } = useHealth();
  if (failure !== undefined) {
    return (
      <Banner tone="bad">
        <strong>The server does not answer.</strong> This page keeps trying.
      </Banner>
    );
  }
  const note = health === undefined ? undefined : noteOf(health);
  return note === undefined ? null : (
    <Banner tone="warn">
      <strong>{note.title}</strong> {note.text}
      {note.progress !== undefined && (
        <progress value={note.progress} max={1} aria-label="Vectors made">
          {percent(note.progress)}
        </progress>
      )}
    </Banner>
  );
}

interface Note {
  readonly title: string;
  readonly text: string;
  readonly progress?: number;
}

function noteOf({ embedder, index }: Health): Note | undefined {
  const { vectors, missing_vectors: missing } = index;
  const all = vectors + missing;
  if (embedder.state === 'down') {
    return { title: 'The embedding model is down.', text: 'Results are by keyword only until it is back.' };
  }
  if (embedder.state === 'loading') {
    return { title: 'The embedding model is loading.', text: 'Results are by keyword only for a moment.' };
  }
  if (embedder.building !== undefined) {
    const { done, total } = embedder.building;
    const text = `${countText(done)} of ${countText(total)} vectors. The old model answers until then.`;
    return { title: 'Changing the embedding model.', text, progress: total === 0 ? 1 : done / total };
  }
  if (missing > 0 && embedder.state !== 'off') {
    const text = `${countText(vectors)} of ${countText(all)}. The rest is found by keyword.`;
    return { title: 'Vectors are being made.', text, progress: vectors / all };
  }
  return undefined;
}
