/*
 * The counter and the histogram of Prometheus. Those of the library check and sort the labels each time, which is too slow
 * for what is counted several times in each request. Here the tally of some labels can be looked up once and kept. The
 * library prints them.
 */

type Labels = Readonly<Record<string, string>>;

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** Tallies by labels. */
class Tallies<T> {
  readonly #labelNames: readonly string[];
  readonly #make: () => T;
  readonly #byKey = new Map<string, { readonly labels: Labels; readonly tally: T }>();

  constructor(labelNames: readonly string[], make: () => T) {
    this.#labelNames = labelNames;
    this.#make = make;
  }

  /** `labels` has a value for each label. */
  of(labels: Labels): T {
    const key = JSON.stringify(this.#labelNames.map((name) => labels[name]));
    const known = this.#byKey.get(key);
    if (known !== undefined) return known.tally;
    const tally = this.#make();
    this.#byKey.set(key, { labels, tally });
    return tally;
  }

  all(): readonly { readonly labels: Labels; readonly tally: T }[] {
    return [...this.#byKey.values()];
  }
}

/** A number that only grows. Add to it, or set it to what something else has counted. */
export interface Total {
  count: number;
}

export class TotalCounter {
  readonly name: string;
  readonly #help: string;
  readonly #tallies: Tallies<Total>;

  constructor({ name, help, labelNames }: MetricOptions) {
    this.name = name;
    this.#help = help;
    this.#tallies = new Tallies(labelNames, () => ({ count: 0 }));
    // The library prints a counter without labels from the start.
    if (labelNames.length === 0) this.of({});
  }

  of(labels: Labels): Total {
    return this.#tallies.of(labels);
  }

  /** As the library asks its own metrics. */
  async get() {
    const values = this.#tallies.all().map(({ labels, tally }) => ({ labels, value: tally.count }));
    return { name: this.name, help: this.#help, type: 'counter', values, aggregator: 'sum' };
  }
}

/** How often something took how long. */
export class TimeTally {
  readonly #bounds: readonly number[];
  /** Of each bucket alone. The last one has what is above all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > bounds[at]!) at++;
    this.counts[at]!++;
    this.sum += value;
  }
}

export class TimeHistogram {
  readonly name: string;
  readonly #help: string;
  readonly #buckets: readonly number[];
  readonly #tallies: Tallies<TimeTally>;

  /** `buckets`: upper bounds, in order. */
  constructor({ name, help, labelNames, buckets }: MetricOptions & { readonly buckets: readonly number[] }) {
    this.name = name;
    this.#help = help;
    this.#buckets = buckets;
    this.#tallies = new Tallies(labelNames, () => new TimeTally(buckets));
  }

  of(labels: Labels): TimeTally {
    return this.#tallies.of(labels);
  }

  /** As the library asks its own metrics. */
  async get() {
    const { name } = this;
    const values = this.#tallies.all().flatMap(({ labels, tally: { counts, sum } }) => {
      let count = 0;
      const bounds = [...this.#buckets, '+Inf'].map((le, at) => {
        count += counts[at]!;
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
      });
      return [
        ...bounds,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
    return { name, help: this.#help, type: 'histogram', values, aggregator: 'sum' };
  }
}
