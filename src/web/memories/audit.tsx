import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { useLoad } from '../use-load.ts';
import { percent } from '../words.ts';

/** Duplicates, contradictions, loops and secrets, with what to do. Nothing is changed. */
export function Audit() {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="card" aria-label="Audit">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Audit the memories
      </button>
      {isOpen && <Report />}
    </section>
  );
}

function Report() {
  const { value, failure } = useLoad('audit', (signal) => api.auditMemories({}, { signal }));
  if (value === undefined)
    return failure === undefined ? <p class="quiet">Loading…</p> : <FailureNote failure={failure} />;
  const rows = [
    ['Memories', value.total],
    ['Exact duplicates', value.exact_duplicates.length],
    ['Near duplicates', value.near_duplicates.length],
    ['Contradictions', value.contradictions.length],
    ['Recall loops', value.recall_loops.length],
    ['Secrets', value.secrets.length],
    ['Never recalled', value.never_recalled === null ? 'unknown' : percent(value.never_recalled.share)],
  ] as const;
  return (
    <div role="status">
      <dl class="facts">
        {rows.map(([title, count]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{count}</dd>
          </div>
        ))}
      </dl>
      <ul class="stack">
        {value.plan.map(({ action, name, by, why }) => (
          <li key={`${action} ${name} ${by}`}>
            <span class="badge warn">{action}</span> <code>{name.slice(0, 8)}</code> <span dir="auto">{why}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
