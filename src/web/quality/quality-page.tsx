import { api, type OperationResult } from '../data/api.ts';
import { hrefOf, navigate, type PageProps } from '../data/navigation.ts';
import { useLoad } from '../data/use-load.ts';
import { dateText, things } from '../data/words.ts';
import { OperateHead } from '../operate/operate-head.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { Losses } from './losses.tsx';
import { type Point, RunChart } from './run-chart.tsx';

type Runs = OperationResult<'listEvaluations'>['runs'];
type Measured = Runs[number]['sets'][number]['results'][number];

const METRICS = [
  ['ndcg@10', 'nDCG@10'],
  ['mrr', 'MRR'],
  ['recall@5', 'Recall@5'],
  ['recall@10', 'Recall@10'],
  ['hit@1', 'Hit@1'],
  ['zero_hit', 'Nothing relevant found'],
] as const;
type Metric = (typeof METRICS)[number][0];

const CHOICES = ['set', 'metric', 'preset', 'before', 'after'] as const;
type Chosen = Readonly<Record<(typeof CHOICES)[number], string>>;

/** The figures of `dowser eval`, run by run, and the questions that got worse. The address has the choices. */
export function QualityPage({ address: { query } }: PageProps) {
  const { value, failure } = useLoad('runs', (signal) => api.listEvaluations({}, { signal }));
  const chosen = Object.fromEntries(CHOICES.map((name) => [name, query.get(name) ?? ''])) as Chosen;
  return (
    <>
      <OperateHead title="Quality">
        How well the rankings answer your labeled questions, from run to run of <code>dowser eval</code>.
      </OperateHead>
      <FailureNote failure={failure} />
      {value !== undefined && (value.runs.length === 0 ? <NoRuns /> : <Runs all={value.runs} chosen={chosen} />)}
    </>
  );
}

function NoRuns() {
  return (
    <section class="empty">
      <h2>Nothing was measured yet</h2>
      <p>
        Write down questions with their right answers, and measure them on this machine. The last runs are kept in the
        data folder.
      </p>
      <CodeBlock text="dowser eval my-set" />
    </section>
  );
}

function Runs({ all, chosen }: { readonly all: Runs; readonly chosen: Chosen }) {
  const sets = [...new Set(all.flatMap((run) => run.sets.map(({ set }) => set)))];
  const set = oneOf(sets, chosen.set, sets.at(-1));
  const runs = all.flatMap(({ measured_at: at, sets: measured }) => {
    const found = measured.find((one) => one.set === set);
    return found === undefined ? [] : [{ at, documents: found.documents, results: found.results }];
  });
  const presets = [...new Set(runs.flatMap(({ results }) => results.map(({ preset }) => preset)))];
  const metric = oneOf(
    METRICS.map(([name]) => name),
    chosen.metric as Metric,
    'ndcg@10',
  );
  const points = new Map(
    presets.map((preset) => [
      preset,
      runs.map(({ at, results }) =>
        pointOf(
          at,
          results.find((one) => one.preset === preset),
          metric,
        ),
      ),
    ]),
  );
  const range = rangeOf([...points.values()].flat());
  const go = (next: Partial<Chosen>) => navigate(hrefOf('/ui/quality', { ...chosen, ...next }), 'replace');
  return (
    <>
      <div class="row filter-row">
        <Choice label="Set" value={set} options={sets} onChoose={(next) => go({ set: next, before: '', after: '' })} />
        <Choice label="Figure" value={metric} options={METRICS} onChoose={(next) => go({ metric: next })} />
      </div>
      <p class="quiet">
        {things(runs.length, 'run')}. 0 to 1, {metric === 'zero_hit' ? 'lower' : 'higher'} is better.
        {metric === 'ndcg@10' && ' The area is the 95% interval.'}
      </p>
      <div class="charts section">
        {presets.map((preset) => (
          <RunChart key={preset} title={preset} points={points.get(preset)!} range={range} />
        ))}
      </div>
      <Changes runs={runs.map(({ at }) => at)} presets={presets} chosen={{ ...chosen, set }} onChoose={go} />
    </>
  );
}

interface ChangesProps {
  readonly runs: readonly string[];
  readonly presets: readonly string[];
  readonly chosen: Chosen;
  readonly onChoose: (next: Partial<Chosen>) => void;
}

/** Between the last two runs, if no others are chosen. */
function Changes({ runs, presets, chosen, onChoose }: ChangesProps) {
  if (runs.length < 2) return <p class="quiet">Run it again after a change, and see here which questions got worse.</p>;
  const preset = oneOf(presets, chosen.preset, presets[0]);
  const after = oneOf(runs, chosen.after, runs.at(-1));
  const before = oneOf(runs, chosen.before, runs[Math.max(0, runs.indexOf(after) - 1)]);
  const options = runs.map((at) => [at, dateText(at)] as const);
  return (
    <section class="card section" aria-labelledby="changes">
      <h2 id="changes">What got worse</h2>
      <div class="row filter-row">
        <Choice label="Preset" value={preset} options={presets} onChoose={(next) => onChoose({ preset: next })} />
        <Choice label="From the run" value={before} options={options} onChoose={(next) => onChoose({ before: next })} />
        <Choice label="To the run" value={after} options={options} onChoose={(next) => onChoose({ after: next })} />
      </div>
      <Losses set={chosen.set} preset={preset} before={before} after={after} />
      <p class="quiet">Compare asks this registry as it is now, not the set that was measured.</p>
    </section>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  /** Values, with the words for them where they differ. */
  readonly options: readonly (string | readonly [value: string, title: string])[];
  readonly onChoose: (value: string) => void;
}

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  return (
    <label class="stacked">
      <span class="legend">{label}</span>
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {options.map((option) => {
          const [one, title] = typeof option === 'string' ? [option, option] : option;
          return (
            <option key={one} value={one}>
              {title}
            </option>
          );
        })}
      </select>
    </label>
  );
}

/** The chosen one if it is there. */
const oneOf = <T extends string>(all: readonly T[], wanted: T, otherwise: T | undefined): T =>
  all.find((one) => one === wanted) ?? otherwise ?? all[0]!;

function pointOf(measuredAt: string, result: Measured | undefined, metric: Metric): Point {
  if (result === undefined) return { measuredAt, value: null, interval: null };
  const [low = 0, high = 0] = result.interval;
  return { measuredAt, value: result[metric], interval: metric === 'ndcg@10' ? [low, high] : null };
}

/** From and to a whole tenth, around all values. */
function rangeOf(points: readonly Point[]): readonly [number, number] {
  const values = points.flatMap(({ value, interval }) => [...(value === null ? [] : [value]), ...(interval ?? [])]);
  const low = Math.floor(Math.min(1, ...values) * 10) / 10;
  return [low, Math.max(low + 0.1, Math.ceil(Math.max(0, ...values) * 10) / 10)];
}
