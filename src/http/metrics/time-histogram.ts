interface Tally {
  readonly labels: Readonly<Record<string, string>>;
  /** Of each bucket alone. The last one has what is above all bounds. */
  readonly counts: Float64Array;
  sum: number;
}

interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Upper bounds, in order. */
  readonly buckets: readonly number[];
}

/**
 * The histogram of Prometheus, for what is observed several times in each search. That of the library is slower,
 * because it checks the labels and sorts them each time. The library prints it.
 */
export class TimeHistogram {
  readonly name: string;
  readonly #options: HistogramOptions;
  readonly #tallies = new Map<string, Tally>();

  constructor(options: HistogramOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** `labels` has a value for each label. */
  observe(labels: Readonly<Record<string, string>>, value: number): void {
    const { labelNames, buckets } = this.#options;
    let key = '';
    for (let at = 0; at < labelNames.length; at++) key += `${labels[labelNames[at]!]}\n`;
    let tally = this.#tallies.get(key);
    if (tally === undefined) {
      tally = { labels, counts: new Float64Array(buckets.length + 1), sum: 0 };
      this.#tallies.set(key, tally);
    }
    let at = 0;
    while (at < buckets.length && value > buckets[at]!) at++;
    tally.counts[at]!++;
    tally.sum += value;
  }

  /** As the library asks its own metrics. */
  async get() {
    const { name, help, buckets } = this.#options;
    const values = [...this.#tallies.values()].flatMap(({ labels, counts, sum }) => {
      let count = 0;
      const bounds = [...buckets, '+Inf'].map((le, at) => {
        count += counts[at]!;
        return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
      });
      return [
        ...bounds,
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
    return { name, help, type: 'histogram', values, aggregator: 'sum' };
  }
}
