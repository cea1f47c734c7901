import fc from 'fast-check';
import { Counter, Histogram, type Metric, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { TimeHistogram, TotalCounter } from './tallies.ts';

const OPTIONS = { name: 'seconds', help: 'Time.', labelNames: ['stage', 'mode'] };

const observation = fc.record({
  stage: fc.constantFrom('rank', 'ra', 'read "it"\n', ''),
  mode: fc.constantFrom('hybrid', 'nkhybrid', 'lexical'),
  value: fc.constantFrom(0, 0.01, 0.011, 0.5, 1, 3),
});

it('a histogram is printed as that of the library', async () => {
  const options = { ...OPTIONS, buckets: [0.01, 0.1, 1] };
  await fc.assert(
    fc.asyncProperty(fc.array(observation), async (observations) => {
      const [own, wanted] = [new Registry(), new Registry()];
      const histogram = new TimeHistogram(options);
      own.registerMetric(histogram as unknown as Metric);
      const library = new Histogram({ ...options, registers: [wanted] });
      for (const { stage, mode, value } of observations) {
        histogram.of({ stage, mode }).observe(value);
        library.observe({ stage, mode }, value);
      }
      expect(await own.metrics()).toBe(await wanted.metrics());
    }),
  );
});

it.each([[OPTIONS.labelNames], [[]]])(
  'a counter with the labels %j is printed as that of the library',
  async (labelNames) => {
    await fc.assert(
      fc.asyncProperty(fc.array(observation), async (observations) => {
        const [own, wanted] = [new Registry(), new Registry()];
        const counter = new TotalCounter({ ...OPTIONS, labelNames });
        own.registerMetric(counter as unknown as Metric);
        const library = new Counter({ ...OPTIONS, labelNames, registers: [wanted] });
        for (const { stage, mode, value } of observations) {
          const labels = labelNames.length === 0 ? {} : { stage, mode };
          counter.of(labels).count += value;
          library.inc(labels, value);
        }
        expect(await own.metrics()).toBe(await wanted.metrics());
      }),
    );
  },
);
