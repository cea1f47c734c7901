import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { navigate } from '../data/navigation.ts';
import { useAction } from '../data/use-load.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Field } from '../parts/field.tsx';
import { documentsHref } from './documents-href.ts';

export function CreateCollection({ onCreated }: { readonly onCreated: () => void }) {
  const [name, setName] = useState('');
  const [note, setNote] = useState('');
  const create = useAction(async () => {
    const created = await api.createCollection({ body: { name: name.trim(), note } });
    setName('');
    setNote('');
    onCreated();
    navigate(documentsHref({ collection: created.name }));
  });
  return (
    <form
      class="card form"
      onSubmit={(event) => {
        event.preventDefault();
        create.run();
      }}
    >
      <h2>Create a collection</h2>
      <Field label="Name" value={name} onType={setName} placeholder="handbook" />
      <Field label="Note, shown with every passage" value={note} onType={setNote} />
      <button type="submit" class="primary" disabled={create.isRunning || name.trim() === ''}>
        Create
      </button>
      <FailureNote failure={create.failure} />
    </form>
  );
}
