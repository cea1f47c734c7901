import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Field, TextField } from '../parts/field.tsx';
import { useAction } from '../use-load.ts';

export function AddMemory({ onAdded }: { readonly onAdded: () => void }) {
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
