import fc from 'fast-check';
import { Histogram, type Metric, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { TimeHistogram } from './time-histogram.ts';

const OPTIONS = { name: 'seconds', help: 'Time.', labelNames: ['stage', 'mode'], buckets: [0.01, 0.1, 1] };

const observation = fc.record({
  stage: fc.constantFrom('rank', 'ra', 'read "it"\n', ''),
  mode: fc.constantFrom('hybrid', 'nkhybrid', 'lexical'),
  value: fc.constantFrom(0, 0.01, 0.011, 0.5, 1, 3),
});

it('is printed as that of the library', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(observation), async (observations) => {
      const [own, wanted] = [new Registry(), new Registry()];
      const histogram = new TimeHistogram(OPTIONS);
      own.registerMetric(histogram as unknown as Metric);
      const library = new Histogram({ ...OPTIONS, registers: [wanted] });
      for (const { stage, mode, value } of observations) {
        histogram.observe({ stage, mode }, value);
        library.observe({ stage, mode }, value);
      }
      expect(await own.metrics()).toBe(await wanted.metrics());
    }),
  );
});
