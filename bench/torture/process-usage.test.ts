import { expect, it } from 'vitest';
import { parseUsage } from './process-usage.ts';

it('reads the time and the memory of a process, also of one with spaces in its name', () => {
  const stat = '7 (a (b) c) S 1 7 7 0 -1 4194560 100 0 0 0 1250 250 0 0 20 0 11 0 100 1000 200';
  expect(parseUsage(stat, 'Name:\ta\nVmRSS:\t  204800 kB\nThreads:\t11\n')).toEqual({
    cpuSeconds: 15,
    memoryMegabytes: 200,
  });
});
