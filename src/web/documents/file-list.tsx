import { api } from '../data/api.ts';
import { useAction, useLoad } from '../data/use-load.ts';
import { countText, things } from '../data/words.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { FailureNote } from '../parts/failure-note.tsx';

const SHOWN = 200;

interface FileListProps {
  readonly collection: string;
  /** A file of a folder would come back with the next scan. */
  readonly mayRemove: boolean;
  readonly onRemoved: () => void;
}

export function FileList({ collection, mayRemove, onRemoved }: FileListProps) {
  const { value, failure } = useLoad(collection, (signal) =>
    api.listCollectionSources({ params: { name: collection } }, { signal }),
  );
  if (value === undefined) return <FailureNote failure={failure} />;
  return (
    <>
      <ul class="files">
        {value.sources.slice(0, SHOWN).map((source) => (
          <li key={source.source_id}>
            <span class="file-name">
              <bdi>{source.uri}</bdi>
              {source.status === 'failed' ? (
                <span class="quiet" dir="auto">
                  {' '}
                  <span class="badge warn">not read</span> {source.message}
                </span>
              ) : (
                <span class="quiet" dir="auto">
                  {' '}
                  {things(source.chunks, 'passage')}
                  {source.message !== undefined && (
                    <>
                      {' '}
                      <span class="badge warn">warning</span> {source.message}
                    </>
                  )}
                </span>
              )}
            </span>
            {mayRemove && source.status === 'completed' && (
              <RemoveFile collection={collection} id={source.source_id} onRemoved={onRemoved} />
            )}
          </li>
        ))}
      </ul>
      {value.total > SHOWN && <p class="quiet">And {countText(value.total - SHOWN)} more.</p>}
    </>
  );
}

interface RemoveFileProps {
  readonly collection: string;
  readonly id: string;
  readonly onRemoved: () => void;
}

function RemoveFile({ collection, id, onRemoved }: RemoveFileProps) {
  const remove = useAction(async () => {
    await api.putFiles({ params: { name: collection }, body: { remove: [id] } });
    onRemoved();
  });
  return (
    <>
      <ConfirmButton label="Remove" confirmLabel="Remove it" action={remove} isSmall />
      <FailureNote failure={remove.failure} />
    </>
  );
}
