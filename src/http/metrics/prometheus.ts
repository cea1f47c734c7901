import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import {
  type CounterName,
  type GaugeName,
  type HistogramName,
  type LabelsOf,
  METRICS,
  type MetricName,
} from './metric-table.ts';
import { TimeHistogram } from './time-histogram.ts';

/** From a search in memory to a client's time limit. In seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

type Labels = Readonly<Record<string, string>>;

/** The metrics of the table, as Prometheus reads them. Each server has its own. */
export class Prometheus {
  readonly #registry = new Registry();
  readonly #counters = new Map<MetricName, Counter>();
  readonly #gauges = new Map<MetricName, Gauge>();
  readonly #histograms = new Map<MetricName, TimeHistogram>();
  #hasProcess = false;

  constructor() {
    const registers = [this.#registry];
    for (const [key, { type, labels, help }] of Object.entries(METRICS)) {
      const name = key as MetricName;
      const shared = { name, help, labelNames: [...labels], registers };
      if (type === 'counter') this.#counters.set(name, new Counter(shared));
      else if (type === 'gauge') this.#gauges.set(name, new Gauge(shared));
      else {
        const histogram = new TimeHistogram({ ...shared, buckets: BUCKETS });
        this.#histograms.set(name, histogram);
        this.#registry.registerMetric(histogram as unknown as Metric);
      }
    }
  }

  add<N extends CounterName>(name: N, labels: LabelsOf<N>, count = 1): void {
    this.#counters.get(name)!.inc(labels as Labels, count);
  }

  /** For a total that something else counts. */
  setTotal<N extends CounterName>(name: N, labels: LabelsOf<N>, total: number): void {
    const counter = this.#counters.get(name)!;
    counter.remove(labels as Labels);
    counter.inc(labels as Labels, total);
  }

  set<N extends GaugeName>(name: N, labels: LabelsOf<N>, value: number): void {
    this.#gauges.get(name)!.set(labels as Labels, value);
  }

  observe<N extends HistogramName>(name: N, labels: LabelsOf<N>, seconds: number): void {
    this.#histograms.get(name)!.observe(labels as Labels, seconds);
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
