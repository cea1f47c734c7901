import { useState } from 'preact/hooks';
import { api, toFailure } from '../data/api.ts';
import { entityHref } from '../data/navigation.ts';
import { useAction } from '../data/use-load.ts';
import { things } from '../data/words.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Field } from '../parts/field.tsx';
import { Link } from '../parts/link.tsx';
import { type Step, Steps } from './steps.tsx';

/** The path that a name gets: `My Server` -> `/my-server`. */
function pathOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
  return `/${slug === '' ? 'server' : slug}`;
}

/** A server at an address. Its tools are read at once. */
export function AddServer() {
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const path = pathOf(name);
  const add = useAction(async () => {
    setSteps([{ state: 'running', text: `Registering ${path}` }]);
    try {
      await api.registerServer({ body: { name, description, path, proxy_pass_url: url, overwrite: 'false' } });
    } catch (thrown) {
      setSteps([]);
      throw thrown;
    }
    const registered: Step = { state: 'done', text: <Link href={entityHref(`mcp_server:${path}`)}>{path}</Link> };
    setSteps([registered, { state: 'running', text: 'Reading its tools' }]);
    setSteps([registered, await readTools(path)]);
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.run();
      }}
    >
      <Field label="Name" value={name} onType={setName} isRequired />
      <Field label="Address" value={url} onType={setUrl} placeholder="https://example.com/mcp" isRequired />
      <Field label="Description" value={description} onType={setDescription} />
      <button type="submit" class="primary" disabled={add.isRunning || name.trim() === '' || url.trim() === ''}>
        Register
      </button>
      <Steps steps={steps} />
      <FailureNote failure={add.failure} />
    </form>
  );
}

/** A server that does not answer stays registered. */
async function readTools(path: string): Promise<Step> {
  try {
    const { status, num_tools: count } = await api.refreshServer({ params: { path } });
    if (status === 'healthy') return { state: 'done', text: `It answers, with ${things(count, 'tool')}.` };
    return { state: 'failed', text: 'It does not answer. It is registered, and is read again later.' };
  } catch (thrown) {
    const { message, hint = '' } = toFailure(thrown);
    return { state: 'failed', text: `Its tools were not read: ${message} ${hint}` };
  }
}
