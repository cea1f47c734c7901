import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import {
  type CounterName,
  type GaugeName,
  type HistogramName,
  type LabelsOf,
  METRICS,
  type MetricName,
  type MetricRow,
} from './metric-table.ts';
import { TimeHistogram, type TimeTally, type Total, TotalCounter } from './tallies.ts';

/** From a search in memory to a client's time limit. In seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

type Labels = Readonly<Record<string, string>>;

/** The metrics of the table, as Prometheus reads them. Each server has its own. */
export class Prometheus {
  readonly #registry = new Registry();
  readonly #counters = new Map<MetricName, TotalCounter>();
  readonly #gauges = new Map<MetricName, Gauge>();
  readonly #histograms = new Map<MetricName, TimeHistogram>();
  #hasProcess = false;

  constructor() {
    const registers = [this.#registry];
    for (const [key, { type, labels, help, buckets = BUCKETS }] of Object.entries<MetricRow>(METRICS)) {
      const name = key as MetricName;
      const shared = { name, help, labelNames: [...labels], registers };
      if (type === 'counter') this.#counters.set(name, this.#registered(new TotalCounter(shared)));
      else if (type === 'gauge') this.#gauges.set(name, new Gauge(shared));
      else this.#histograms.set(name, this.#registered(new TimeHistogram({ ...shared, buckets: [...buckets] })));
    }
  }

  #registered<M extends TotalCounter | TimeHistogram>(metric: M): M {
    this.#registry.registerMetric(metric as unknown as Metric);
    return metric;
  }

  /** Keep it where something is counted often. */
  total<N extends CounterName>(name: N, labels: LabelsOf<N>): Total {
    return this.#counters.get(name)!.of(labels as Labels);
  }

  set<N extends GaugeName>(name: N, labels: LabelsOf<N>, value: number): void {
    this.#gauges.get(name)!.set(labels as Labels, value);
  }

  /** In seconds. Keep it where something is observed often. */
  times<N extends HistogramName>(name: N, labels: LabelsOf<N>): TimeTally {
    return this.#histograms.get(name)!.of(labels as Labels);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The first call begins to measure the process: a server without requests pays nothing for it. */
  text(): Promise<string> {
    if (!this.#hasProcess) collectDefaultMetrics({ register: this.#registry });
    this.#hasProcess = true;
    return this.#registry.metrics();
  }
}
