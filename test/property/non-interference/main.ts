import { parseArgs } from 'node:util';
import { checkNonInterference } from './check.ts';

const OPERATIONS = 50;

/** Prints the number of cases from time to time. The first answer that differs ends it, with the seed to repeat it. */
const { values } = parseArgs({
  options: { cases: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const worlds = Math.ceil(Number(values.cases) / OPERATIONS);
const onWorld = (cases: number) => {
  if (cases % 5000 === 0) console.log(`${cases} cases, 0 differences`);
};
const cases = await checkNonInterference({ worlds, operations: OPERATIONS, seed: Number(values.seed), onWorld });
console.log(`${cases} cases of ${worlds} pairs of registries: 0 differences.`);
