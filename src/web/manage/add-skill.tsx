import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { entityHref } from '../data/navigation.ts';
import { useAction, useLoad } from '../data/use-load.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { TextField } from '../parts/field.tsx';
import { Link } from '../parts/link.tsx';
import { type Step, Steps } from './steps.tsx';

/** A skill by its SKILL.md, with a preview of how it is read. */
export function AddSkill() {
  const [content, setContent] = useState('');
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const preview = useLoad(content, async (signal) =>
    content.trim() === '' ? undefined : api.parseSkillMd({ body: { content } }, { signal }),
  );
  const add = useAction(async () => {
    setSteps([]);
    const { path } = await api.registerSkill({ body: { content } });
    setSteps([{ state: 'done', text: <Link href={entityHref(`skill:${path}`)}>{path}</Link> }]);
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.run();
      }}
    >
      <TextField
        label="SKILL.md"
        value={content}
        onType={setContent}
        placeholder={'---\nname: my-skill\ndescription: What it does, and when to use it.\n---\n'}
      />
      {preview.value !== undefined && (
        <p role="status">
          Read as <strong>{preview.value.name}</strong> at <code>{preview.value.path}</code>:{' '}
          {preview.value.description}
        </p>
      )}
      <FailureNote failure={preview.failure} />
      <button type="submit" class="primary" disabled={add.isRunning || preview.value === undefined}>
        Register
      </button>
      <Steps steps={steps} />
      <FailureNote failure={add.failure} />
    </form>
  );
}
