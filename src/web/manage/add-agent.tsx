import { useState } from 'preact/hooks';
import { api } from '../data/api.ts';
import { isObject } from '../data/json.ts';
import { entityHref } from '../data/navigation.ts';
import { useAction } from '../data/use-load.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { TextField } from '../parts/field.tsx';
import { Link } from '../parts/link.tsx';
import { type Step, Steps } from './steps.tsx';

/** An agent by its card. */
export function AddAgent() {
  const [text, setText] = useState('');
  const [steps, setSteps] = useState<readonly Step[]>([]);
  const add = useAction(async () => {
    setSteps([]);
    const card: unknown = JSON.parse(text);
    if (!isObject(card)) throw new Error('The card must be a JSON object.');
    const { agent, warnings } = await api.registerAgent({ body: { ...card } });
    setSteps([
      { state: 'done', text: <Link href={entityHref(`a2a_agent:${agent.path}`)}>{agent.path}</Link> },
      ...warnings.map((warning): Step => ({ state: 'failed', text: warning })),
    ]);
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.run();
      }}
    >
      <TextField label="Agent card (JSON)" value={text} onType={setText} placeholder='{"name": "...", "url": "..."}' />
      <button type="submit" class="primary" disabled={add.isRunning || text.trim() === ''}>
        Register
      </button>
      <Steps steps={steps} />
      <FailureNote failure={add.failure} />
    </form>
  );
}
