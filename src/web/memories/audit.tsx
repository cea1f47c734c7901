import { useState } from 'preact/hooks';
import { useRights } from '../access/access.ts';
import { api, type OperationResult } from '../data/api.ts';
import { useAction, useLoad } from '../data/use-load.ts';
import { percent } from '../data/words.ts';
import { FailureNote } from '../parts/failure-note.tsx';

interface AuditProps {
  readonly onChanged: () => void;
}

/** Duplicates, contradictions, loops and secrets, each with a button that does what is proposed, and a way back. */
export function Audit({ onChanged }: AuditProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section class="card" aria-label="Audit">
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Audit the memories
      </button>
      {isOpen && <Report onChanged={onChanged} />}
    </section>
  );
}

function Report({ onChanged }: AuditProps) {
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
        {value.plan.map((proposal) => (
          <li key={`${proposal.action} ${proposal.name} ${proposal.by}`} class="proposal">
            <ProposalRow proposal={proposal} onChanged={onChanged} />
          </li>
        ))}
      </ul>
    </div>
  );
}

type Proposal = OperationResult<'auditMemories'>['plan'][number];

/** The two memories of a proposal, what to do with the first, and how to take it back. */
function ProposalRow({ proposal, onChanged }: AuditProps & { readonly proposal: Proposal }) {
  const { action, name, by, why } = proposal;
  const { mayWrite } = useRights();
  const [isDone, setDone] = useState(false);
  const { value } = useLoad(`${name} ${by}`, async (signal) => {
    const read = (content_hash: string) => api.getMemory({ body: { content_hash } }, { signal });
    return Promise.all([read(name), by === null ? undefined : read(by)]);
  });
  const [memory, other] = value ?? [];
  const act = useAction(async () => {
    if (action === 'supersede' && by !== null) {
      await api.supersedeMemory({ body: { content_hash: name, by } });
    } else await api.forgetMemories({ body: { content_hash: name } });
    setDone(true);
    onChanged();
  });
  const undo = useAction(async () => {
    if (action === 'supersede') await api.undoSupersede({ body: { content_hash: name } });
    else {
      const path = memory?.path ?? '';
      await api.patchEntity({ params: { type: 'memory', path }, body: { is_enabled: true, deleted_at: null } });
    }
    setDone(false);
    onChanged();
  });
  const verb = action === 'supersede' ? 'Supersede' : 'Forget';
  return (
    <>
      <p class="row">
        <span class="badge warn">{action}</span> <span dir="auto">It {why}.</span>
      </p>
      <p class={isDone ? 'text clamp struck' : 'text clamp'} dir="auto">
        {memory?.content}
      </p>
      {other !== undefined && (
        <p class="text clamp quiet" dir="auto">
          {action === 'supersede' ? 'Newer' : 'Kept'}: {other.content}
        </p>
      )}
      {mayWrite && memory !== undefined && (
        <div class="row">
          {isDone ? (
            <button type="button" class="small" disabled={undo.isRunning} onClick={undo.run}>
              Undo
            </button>
          ) : (
            <button type="button" class="small" disabled={act.isRunning} onClick={act.run}>
              {verb}
            </button>
          )}
        </div>
      )}
      <FailureNote failure={act.failure ?? undo.failure} />
    </>
  );
}
