import { useState } from 'preact/hooks';
import { type Upload, useUploads } from './use-uploads.ts';

interface UploadsProps {
  readonly collection: string;
  readonly onStored: () => void;
}

/** Files to send: chosen or dropped, several at once, each with its own progress. */
export function Uploads({ collection, onStored }: UploadsProps) {
  const { uploads, send } = useUploads(collection, onStored);
  const [isOver, setOver] = useState(false);
  return (
    <div class="stack">
      <label
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          send(event.dataTransfer?.files ?? []);
        }}
      >
        <span class="legend">Add files</span>
        <span class="quiet">Drop them here, or choose them. Markdown, text, HTML, CSV, DOCX, PDF, source code.</span>
        <input
          type="file"
          multiple
          onChange={(event) => {
            send(event.currentTarget.files ?? []);
            // The same file may be chosen again.
            event.currentTarget.value = '';
          }}
        />
      </label>
      {uploads.length > 0 && (
        <div role="status">
          <ul class="uploads" aria-label="Uploads">
            {uploads.map((one, at) => (
              <UploadRow key={at} upload={one} />
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

const STEPS = { waiting: 0, sending: 1, reading: 2, storing: 3, done: 4, failed: 4 } as const;

function UploadRow({ upload: { path, state, text } }: { readonly upload: Upload }) {
  return (
    <li class={state}>
      <bdi class="file-name">{path}</bdi>
      {state !== 'done' && state !== 'failed' && (
        <progress value={STEPS[state]} max={4} aria-label={`Progress of ${path}`} />
      )}
      <span class={state === 'failed' ? 'upload-failed' : 'quiet'} dir="auto">
        {text}
      </span>
    </li>
  );
}
