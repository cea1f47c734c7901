import { useState } from 'preact/hooks';
import { api, type Entity } from '../api.ts';
import { navigate } from '../navigation.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { useAction } from '../use-load.ts';

const STATUSES = ['active', 'beta', 'deprecated', 'draft'] as const;

interface LifecycleProps {
  readonly entity: Entity;
  readonly onChanged: () => void;
}

/** Enable, disable, change the status, delete. */
export function Lifecycle({ entity, onChanged }: LifecycleProps) {
  const { type, path, is_enabled: isEnabled } = entity;
  const [status, setStatus] = useState<string>(entity.status);
  const params = { type, path };
  const patch = async (body: Record<string, unknown>) => {
    await api.patchEntity({ params, body });
    onChanged();
  };
  const toggle = useAction(() => patch({ is_enabled: !isEnabled }));
  const save = useAction(() => patch({ status }));
  const remove = useAction(async () => {
    await api.deleteEntity({ params });
    navigate('/');
  });
  return (
    <section aria-labelledby="lifecycle">
      <h2 id="lifecycle">Lifecycle</h2>
      <div class="row">
        <select
          aria-label="Status"
          class="narrow"
          value={status}
          onChange={(event) => setStatus(event.currentTarget.value)}
        >
          {STATUSES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <button type="button" disabled={save.isRunning || status === entity.status} onClick={save.run}>
          Save the status
        </button>
        <button type="button" disabled={toggle.isRunning} onClick={toggle.run}>
          {isEnabled ? 'Disable' : 'Enable'}
        </button>
        <ConfirmButton label="Delete" confirmLabel="Delete for good" action={remove} />
      </div>
      <FailureNote failure={toggle.failure ?? save.failure ?? remove.failure} />
    </section>
  );
}
