import { useEffect } from 'preact/hooks';
import { api, type OperationResult } from '../data/api.ts';
import { hrefOf } from '../data/navigation.ts';
import { useLoad } from '../data/use-load.ts';
import { countText, dateText, things } from '../data/words.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { Link } from '../parts/link.tsx';
import { Chart } from './chart.tsx';

type Report = OperationResult<'getActivity'>;
type Minute = Report['minutes'][number];

const REFRESH_MS = 15_000;
const MINUTES = 60;
const MINUTE_MS = 60_000;
const MEGABYTE = 1024 * 1024;

const ms = (value: number): string => `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ms`;

/** The last hour: latency, load, memory, the model, and what nobody found. */
export function ActivityCharts() {
  const { latest, failure, reload } = useLoad('activity', (signal) => api.getActivity({}, { signal }));
  useEffect(() => {
    const timer = setInterval(reload, REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  if (latest === undefined) return <FailureNote failure={failure} />;
  const minutes = hourOf(latest.minutes);
  const valuesOf = (read: (minute: Minute) => number | null) => minutes.map((minute) => (minute ? read(minute) : null));
  return (
    <>
      <section class="section" aria-labelledby="hour">
        <h2 id="hour">The last hour</h2>
        <div class="charts">
          <Chart
            title="Search time"
            format={ms}
            series={[
              { label: 'p95', values: valuesOf((minute) => minute.search_p95_ms) },
              { label: 'p50', values: valuesOf((minute) => minute.search_p50_ms) },
            ]}
          />
          <Chart
            title="Requests a minute"
            format={countText}
            series={[
              { label: 'all', values: valuesOf(({ requests }) => requests) },
              { label: 'searches', values: valuesOf(({ searches }) => searches) },
            ]}
          />
          <Chart
            title="Load"
            format={ms}
            series={[{ label: 'delay of timers', values: valuesOf((minute) => minute.loop_delay_ms) }]}
          />
          <Chart
            title="Memory"
            format={(bytes) => `${countText(Math.round(bytes / MEGABYTE))} MB`}
            series={[{ label: 'of the process', values: valuesOf((minute) => minute.memory_bytes) }]}
          />
        </div>
        <EmbedderStrip minutes={minutes} />
      </section>
      <Questions minutes={latest.minutes} unanswered={latest.unanswered} />
    </>
  );
}

/** A place for each of the last 60 minutes. The minute that has begun is left out: its counts are not whole. */
function hourOf(all: readonly Minute[]): readonly (Minute | undefined)[] {
  const minutes = all.length > 1 ? all.slice(0, -1) : all;
  const last = Date.parse(minutes.at(-1)?.at ?? '');
  const places = new Map(minutes.map((minute) => [Math.round((last - Date.parse(minute.at)) / MINUTE_MS), minute]));
  return Array.from({ length: MINUTES }, (_, at) => places.get(MINUTES - 1 - at));
}

function EmbedderStrip({ minutes }: { readonly minutes: readonly (Minute | undefined)[] }) {
  const known = minutes.filter((minute) => minute !== undefined);
  const counts = new Map<string, number>();
  for (const { embedder } of known) counts.set(embedder, (counts.get(embedder) ?? 0) + 1);
  const words = [...counts].map(([state, count]) => `${state} for ${things(count, 'minute')}`).join(', ');
  return (
    <figure class="chart">
      <figcaption>
        <strong>Embedding model</strong> <span>{words}</span>
      </figcaption>
      <svg viewBox={`0 0 ${MINUTES} 4`} preserveAspectRatio="none" class="strip" aria-hidden="true">
        {minutes.map((minute, at) => (
          <rect key={String(at)} class={`state-${minute?.embedder ?? 'none'}`} x={at} width="0.9" height="4" />
        ))}
      </svg>
    </figure>
  );
}

function Questions({
  minutes,
  unanswered,
}: {
  readonly minutes: readonly Minute[];
  readonly unanswered: Report['unanswered'];
}) {
  const sum = (read: (minute: Minute) => number) => minutes.reduce((total, minute) => total + read(minute), 0);
  const rows = [
    ['Questions', sum(({ questions }) => questions)],
    ['Nothing fits', sum(({ no_match }) => no_match)],
    ['Low confidence', sum(({ low_confidence }) => low_confidence)],
  ] as const;
  return (
    <section class="section" aria-labelledby="questions">
      <h2 id="questions">Questions without a good answer</h2>
      <dl class="figures">
        {rows.map(([title, count]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{countText(count)}</dd>
          </div>
        ))}
      </dl>
      {unanswered === null && (
        <p class="quiet">
          Their texts are not kept. To see what is missing here, set <code>log_query_text</code>.
        </p>
      )}
      <ul class="stack">
        {(unanswered ?? []).map(({ query, outcome, times, last_at }) => (
          <li key={query} class="row">
            <span class={`badge ${outcome === 'no_match' ? 'bad' : 'warn'}`}>
              {outcome === 'no_match' ? 'nothing fits' : 'low confidence'}
            </span>
            <Link href={hrefOf('/', { q: query })}>
              <bdi>{query}</bdi>
            </Link>
            <span class="quiet">
              {things(times, 'time')}, last {dateText(last_at)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
