/** A process that takes one step after the other and says so after each, until it is killed. */
import { writeSync } from 'node:fs';
import { openEmbedded } from '../../src/engines/embedded/open-embedded.ts';
import { TOY_EMBEDDER } from './engine-fixtures.ts';
import { STILL, takeStep } from './engine-steps.ts';

const [dir, first] = process.argv.slice(2);
const engine = await openEmbedded({ dir: dir!, embedder: TOY_EMBEDDER, now: STILL });
for (let n = Number(first); ; n++) {
  await takeStep(engine, n);
  writeSync(1, `${n}\n`);
}
