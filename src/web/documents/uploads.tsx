import { useEffect, useRef, useState } from 'preact/hooks';
import { things } from '../data/words.ts';
import { droppedFiles } from './dropped-files.ts';
import { type Upload, useUploads } from './use-uploads.ts';

interface UploadsProps {
  readonly collection: string;
  readonly onStored: () => void;
}

/** Files to send: chosen or dropped, several at once, each with its own progress. */
export function Uploads({ collection, onStored }: UploadsProps) {
  const { uploads, send } = useUploads(collection, onStored);
  const isOver = useDrop((transfer) => droppedFiles(transfer).then(send));
  const done = uploads.filter(({ state }) => state === 'done' || state === 'failed').length;
  return (
    <div class="stack">
      <label class={isOver ? 'drop over' : 'drop'}>
        <span class="legend">{isOver ? `Drop to add to ${collection}` : 'Add documents'}</span>
        <span class="quiet">
          Drop files or folders on this page, or choose files. Markdown, text, HTML, CSV, DOCX, XLSX, PPTX, PDF, source
          code.
        </span>
        <input
          type="file"
          multiple
          onChange={(event) => {
            send([...(event.currentTarget.files ?? [])].map((file) => ({ path: file.name, file })));
            // The same file may be chosen again.
            event.currentTarget.value = '';
          }}
        />
      </label>
      {uploads.length > 0 && (
        <>
          <p class="quiet" role="status">
            {things(done, 'file')} of {uploads.length} done
          </p>
          <ul class="uploads" aria-label="Uploads">
            {uploads.map((one, at) => (
              <UploadRow key={at} upload={one} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** Takes files that are dropped anywhere: beside its target, the browser would open them in place of the page. */
function useDrop(onDrop: (transfer: DataTransfer | null) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    const stop = new AbortController();
    const on = (name: 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) =>
      addEventListener(
        name,
        (event) => {
          if (event.dataTransfer?.types.includes('Files') !== true) return;
          event.preventDefault();
          act(event);
        },
        { signal: stop.signal },
      );
    on('dragover', () => setOver(true));
    // Without another element: it has left the window.
    on('dragleave', ({ relatedTarget }) => setOver(relatedTarget !== null));
    on('drop', ({ dataTransfer }) => {
      setOver(false);
      latest.current(dataTransfer);
    });
    return () => stop.abort();
  }, []);
  return isOver;
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
