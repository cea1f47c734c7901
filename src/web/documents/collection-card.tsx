import { useState } from 'preact/hooks';
import { api, type Collection } from '../data/api.ts';
import { navigate } from '../data/navigation.ts';
import { useAction } from '../data/use-load.ts';
import { dateText, things } from '../data/words.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { Disclosure } from '../parts/disclosure.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { documentsHref } from './documents-href.ts';
import { FileList } from './file-list.tsx';
import { Uploads } from './uploads.tsx';

interface CollectionCardProps {
  readonly collection: Collection;
  readonly mayWrite: boolean;
  readonly onChanged: () => void;
}

export function CollectionCard({ collection, mayWrite, onChanged }: CollectionCardProps) {
  const { name, files, chunks, unread, folder, scanned_at: scannedAt, notes } = collection;
  const [turn, setTurn] = useState(0);
  const changed = () => {
    setTurn((count) => count + 1);
    onChanged();
  };
  const remove = useAction(async () => {
    await api.removeCollection({ params: { name } });
    onChanged();
    navigate(documentsHref({}));
  });
  return (
    <section class="card collection" aria-labelledby="collection">
      <h2 id="collection">
        <bdi>{name}</bdi>
      </h2>
      {notes
        .filter(({ folder: place }) => place === '')
        .map(({ note }) => (
          <p key={note} dir="auto">
            {note}
          </p>
        ))}
      <p class="quiet">
        {things(files, 'document')}, {things(chunks, 'passage')}
        {scannedAt !== null && folder !== null && `, scanned ${dateText(scannedAt)}`}
      </p>
      {unread > 0 && <p class="badge warn">{things(unread, 'file')} could not be read</p>}
      {mayWrite && <Uploads collection={name} onStored={changed} />}
      {files + unread > 0 && (
        <Disclosure summary="Documents">
          <FileList key={turn} collection={name} mayRemove={mayWrite && folder === null} onRemoved={changed} />
        </Disclosure>
      )}
      {mayWrite && (
        <ConfirmButton
          label="Remove the collection"
          confirmLabel={files === 0 ? 'Remove it' : `Remove it with ${things(files, 'document')}`}
          action={remove}
          isSmall
        />
      )}
      <FailureNote failure={remove.failure} />
    </section>
  );
}
