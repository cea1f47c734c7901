import { useRights } from '../access/access.ts';
import { api, type EntityType } from '../data/api.ts';
import { useAction, useLoad } from '../data/use-load.ts';
import { dateText } from '../data/words.ts';
import { FailureNote } from '../parts/failure-note.tsx';

interface ChangesProps {
  readonly type: EntityType;
  readonly path: string;
  readonly onAccepted: () => void;
}

/** How the definitions differ from those that were accepted, as a changelog. Nothing if they do not. */
export function Changes({ type, path, onAccepted }: ChangesProps) {
  const { value, failure, reload } = useLoad(`${type}:${path}`, (signal) => api.listDrift({}, { signal }));
  const { mayWrite } = useRights();
  const accept = useAction(async () => {
    await api.acceptDrift({ params: { type, path } });
    reload();
    onAccepted();
  });
  const drift = value?.entities.find((one) => one.entity_type === type && one.path === path)?.drift;
  if (failure !== undefined) return <FailureNote failure={failure} />;
  if (drift === undefined) return null;
  return (
    <section aria-labelledby="changes" class="card attention">
      <div class="row">
        <h2 id="changes">Changed since it was accepted</h2>
        {mayWrite && (
          <button type="button" class="primary" disabled={accept.isRunning} onClick={accept.run}>
            Accept the changes
          </button>
        )}
      </div>
      <p class="quiet">First seen {dateText(drift.since)}.</p>
      <FailureNote failure={accept.failure} />
      <ul class="changelog">
        {drift.added.map((name) => (
          <Line key={`+${name}`} tone="good" word="added" name={name} />
        ))}
        {drift.removed.map((name) => (
          <Line key={`-${name}`} tone="bad" word="removed" name={name} />
        ))}
        {drift.changed.map(({ name, changes }) => (
          <li key={name}>
            <span class="badge warn">changed</span> <code>{name}</code>
            {changes.map(({ at, before, after }) => (
              <p key={at} class="diff">
                <code>{at}</code> <del dir="auto">{before}</del> <ins dir="auto">{after}</ins>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Line({ tone, word, name }: { readonly tone: string; readonly word: string; readonly name: string }) {
  return (
    <li>
      <span class={`badge ${tone}`}>{word}</span> <code>{name}</code>
    </li>
  );
}
