import { useState } from 'preact/hooks';
import { api, type OperationResult } from '../data/api.ts';
import { entityHref, hrefOf, navigate, type PageProps } from '../data/navigation.ts';
import { useLoad } from '../data/use-load.ts';
import { dateText, TYPES, things } from '../data/words.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Field } from '../parts/field.tsx';
import { Link } from '../parts/link.tsx';
import { OperateHead } from './operate-head.tsx';

type Row = OperationResult<'listAudit'>['records'][number];

const HOUR_MS = 3_600_000;
const TIMES = [
  ['', 'Any time'],
  ['1', 'The last hour'],
  ['24', 'The last day'],
  ['168', 'The last week'],
] as const;
const LIMIT = 200;
const MAX_IDS = 3;
const FILTERS = ['who', 'action', 'result'] as const;

/** Who changed what, and who was refused. The address has the filters. */
export function AuditPage({ address: { query } }: PageProps) {
  const given = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ''])) as Record<
    (typeof FILTERS)[number],
    string
  >;
  const hours = query.get('hours') ?? '';
  const [typed, setTyped] = useState(given);
  const show = (next: Readonly<Record<string, string>>) =>
    navigate(hrefOf('/ui/audit', { ...typed, hours, ...next }), 'replace');
  const { latest, failure } = useLoad(query.toString(), (signal) => {
    const since = Number(hours) > 0 ? { since: new Date(Date.now() - Number(hours) * HOUR_MS).toISOString() } : {};
    const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
    return api.listAudit({ query: { ...set, ...since, limit: String(LIMIT) } }, { signal });
  });
  return (
    <>
      <OperateHead title="Audit">
        Who changed or called what, and who was refused. It has no text of a query, a memory or an argument.
      </OperateHead>
      <form
        class="row filter-row"
        onSubmit={(event) => {
          event.preventDefault();
          show({});
        }}
      >
        <Field label="Caller" value={typed.who} onType={(who) => setTyped({ ...typed, who })} placeholder="key:ci" />
        <Field
          label="Operation"
          value={typed.action}
          onType={(action) => setTyped({ ...typed, action })}
          placeholder="deleteEntity"
        />
        <Field
          label="Result"
          value={typed.result}
          onType={(result) => setTyped({ ...typed, result })}
          placeholder="done"
        />
        <label class="stacked">
          <span class="legend">Time</span>
          <select value={hours} onChange={(event) => show({ hours: event.currentTarget.value })}>
            {TIMES.map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="primary">
          Filter
        </button>
      </form>
      <FailureNote failure={failure} />
      {latest?.enabled === false && (
        <p class="quiet">This server keeps no audit log. It does where credentials are needed.</p>
      )}
      {latest?.enabled === true && (
        <Records
          rows={latest.records}
          onPick={(next) => {
            setTyped({ ...typed, ...next });
            show(next);
          }}
        />
      )}
    </>
  );
}

function Records({
  rows,
  onPick,
}: {
  readonly rows: readonly Row[];
  readonly onPick: (next: Partial<Record<(typeof FILTERS)[number], string>>) => void;
}) {
  const pick = (name: (typeof FILTERS)[number], value: string) => (
    <button type="button" class="cell-button" onClick={() => onPick({ [name]: value })}>
      <bdi>{value}</bdi>
    </button>
  );
  return (
    <>
      <p class="quiet" role="status">
        {rows.length === LIMIT ? `The newest ${LIMIT} records` : things(rows.length, 'record')}. Click a value to filter
        by it.
      </p>
      <div class="scroll records">
        <table>
          <thead>
            <tr>
              {['Time', 'Caller', 'From', 'Operation', 'What', 'Result'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ at, request, who, from, action, ids, ids_total, result }, row) => (
              <tr key={`${at} ${request} ${row}`}>
                <td class="number">{dateText(at)}</td>
                <td>{pick('who', who)}</td>
                <td>
                  <bdi>{from ?? 'this machine'}</bdi>
                </td>
                <td>{pick('action', action)}</td>
                <td>
                  {ids.slice(0, MAX_IDS).map((id) => (
                    <div key={id}>
                      <Touched id={id} />
                    </div>
                  ))}
                  {ids_total > MAX_IDS && <span class="quiet">and {ids_total - MAX_IDS} more</span>}
                </td>
                <td>{pick('result', result)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** A link, if it is an entity. */
function Touched({ id }: { readonly id: string }) {
  const isEntity = TYPES.some((type) => id.startsWith(`${type}:/`));
  const text = <bdi>{id}</bdi>;
  return isEntity ? <Link href={entityHref(id)}>{text}</Link> : text;
}
