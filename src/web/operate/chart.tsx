/** One value for each minute, the newest last. Null: nothing was measured. */
export interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  /** One or two. The first is drawn as an area. */
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

const WIDTH = 300;
const HEIGHT = 60;

/** Lines over the last hour. The numbers are beside them, so that nothing depends on the picture. */
export function Chart({ title, series, format }: ChartProps) {
  const highest = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const top = highest === 0 ? 1 : highest;
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong>
        {series.map(({ label, values }, at) => (
          <span key={label} class={`key-${at}`}>
            {label} {lastText(values, format)}
          </span>
        ))}
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={spoken(title, series, format)}
      >
        <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        {series.map(({ label, values }, at) =>
          runsOf(values).map((run) => (
            <g key={`${label} ${run[0]![0]}`} class={`series-${at}`}>
              {at === 0 && (
                <path
                  class="area"
                  d={`${path(run, values.length, top)} L${x(run.at(-1)![0], values.length)} ${HEIGHT} L${x(run[0]![0], values.length)} ${HEIGHT}Z`}
                />
              )}
              <path class="stroke" d={path(run, values.length, top)} />
            </g>
          )),
        )}
      </svg>
      <p class="quiet scale">
        <span>an hour ago</span>
        <span>highest {format(highest)}</span>
        <span>now</span>
      </p>
    </figure>
  );
}

type Point = readonly [at: number, value: number];

/** Points without a gap between them. */
function runsOf(values: readonly (number | null)[]): readonly (readonly Point[])[] {
  const runs: Point[][] = [];
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const last = runs.at(-1);
    if (last?.at(-1)?.[0] === at - 1) last.push([at, value]);
    else runs.push([[at, value]]);
  }
  return runs;
}

const x = (at: number, count: number): string => ((at / Math.max(1, count - 1)) * WIDTH).toFixed(1);

/** A single point is a short line. */
function path(run: readonly Point[], count: number, top: number): string {
  const points = run.map(([at, value]) => `${x(at, count)} ${(HEIGHT - (value / top) * (HEIGHT - 4)).toFixed(1)}`);
  return run.length === 1 ? `M${points[0]} h-3` : `M${points.join(' L')}`;
}

function lastText(values: readonly (number | null)[], format: (value: number) => string): string {
  const last = values.findLast((value) => value !== null);
  return last == null ? 'none' : format(last);
}

function spoken(title: string, series: readonly Series[], format: (value: number) => string): string {
  const parts = series.map(({ label, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${label}: no value`;
    return `${label}: last ${lastText(values, format)}, highest ${format(Math.max(...known))}`;
  });
  return `${title} in the last hour. ${parts.join('. ')}.`;
}
