import { dateText } from '../data/words.ts';

/** A value of a run. Null: the run did not measure it. */
export interface Point {
  readonly measuredAt: string;
  readonly value: number | null;
  /** 95% of what it may be by chance of the questions. */
  readonly interval: readonly [number, number] | null;
}

interface RunChartProps {
  readonly title: string;
  readonly points: readonly Point[];
  /** The same for all charts of a page, so that they can be compared. */
  readonly range: readonly [low: number, high: number];
}

const WIDTH = 300;
const HEIGHT = 60;

export const figureText = (value: number): string => value.toFixed(3);

/** One figure of one preset over the runs, oldest first. The numbers are beside it, so that nothing depends on the picture. */
export function RunChart({ title, points, range: [low, high] }: RunChartProps) {
  const x = (at: number) => (points.length === 1 ? WIDTH : (at / (points.length - 1)) * WIDTH).toFixed(1);
  const y = (value: number) => (HEIGHT - ((value - low) / Math.max(0.001, high - low)) * HEIGHT).toFixed(1);
  const measured = points.flatMap(({ value, interval }, at) => (value === null ? [] : [{ at, value, interval }]));
  const last = measured.at(-1);
  const before = measured.at(-2);
  const band = measured.filter(({ interval }) => interval !== null);
  const upper = band.map(({ at, interval }) => `${x(at)} ${y(interval![1])}`);
  const lower = band.map(({ at, interval }) => `${x(at)} ${y(interval![0])}`).reverse();
  const line = measured.map(({ at, value }) => `${x(at)} ${y(value)}`);
  const change = last === undefined || before === undefined ? '' : changeText(last.value - before.value);
  const spoken = measured.map(({ at, value }) => `${dateText(points[at]!.measuredAt)}: ${figureText(value)}`);
  return (
    <figure class="chart">
      <figcaption>
        <strong>{title}</strong>
        {change !== '' && <span class="quiet">{change}</span>}
        <span class="key-0">{last === undefined ? 'not measured' : figureText(last.value)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}. ${spoken.join('. ')}.`}
      >
        <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        {band.length > 1 && <path class="area" d={`M${[...upper, ...lower].join(' L')}Z`} />}
        {line.length > 0 && <path class="stroke" d={line.length === 1 ? `M${line[0]} h-6` : `M${line.join(' L')}`} />}
      </svg>
      <p class="quiet scale">
        <span>{dayText(points[0]!.measuredAt)}</span>
        <span>
          {figureText(low)} to {figureText(high)}
        </span>
        <span>{points.length > 1 && dayText(points.at(-1)!.measuredAt)}</span>
      </p>
    </figure>
  );
}

const dayText = (iso: string): string => new Date(iso).toLocaleDateString('en', { dateStyle: 'medium' });

export const changeText = (difference: number): string =>
  `${difference < 0 ? '−' : '+'}${figureText(Math.abs(difference))}`;
