// How well a logistic head over the vectors of a model finds texts that give orders to the model that reads them.
//   npx tsx training/instructions/measure.ts --data DIR [--model NAME]
// DIR of --data has a folder for each corpus. See ../README.md.
import { parseArgs } from 'node:util';
import { promptLikeText } from '../../src/model/prompt-scan/prompt-like.ts';
import { embedTexts } from './embed.ts';
import { fitHead, type Head, type Labeled, scoreOf } from './logistic.ts';
import { FOLDS, type Origin, readSamples, type Sample } from './samples.ts';

const { values } = parseArgs({ options: { data: { type: 'string' }, model: { type: 'string' } } });
if (values.data === undefined) throw new Error('Name the folder of the corpora: --data DIR.');

/** Of the weights. The best of 0.3, 1 and 3 for the default model. */
const PENALTY = 1;
/** Our own harmless texts are close to attacks on purpose: there are more of them than in a real catalog. */
const OWN_WEIGHT = 0.3;
const FALSE_ALARMS = 0.01;
const GOAL = 0.8;

const samples = await readSamples(values.data);
const cacheFile = new URL('../../.cache/training/instruction-vectors.sqlite', import.meta.url).pathname;
const { id, dimensions, vectors } = await embedTexts(
  samples.map(({ text }) => text),
  { model: values.model, cacheFile },
);

const labeled = samples.map(
  ({ isAttack, origin }, at): Labeled => ({
    vector: vectors[at]!,
    isPositive: isAttack,
    weight: origin === 'own' ? OWN_WEIGHT : 1,
  }),
);

/** The scores of a part by a head that was fitted to the rest. */
function heldOut(isHeld: (sample: Sample) => boolean, trains: (sample: Sample) => boolean, whole: Head): Head {
  const rest = labeled.filter((_, at) => !isHeld(samples[at]!) && trains(samples[at]!));
  return fitHead(rest, dimensions, PENALTY, whole);
}

const whole = fitHead(labeled, dimensions, PENALTY);
const alike = new Float64Array(samples.length);
const single = new Float64Array(samples.length);
const score = (into: Float64Array, head: Head, isHeld: (sample: Sample) => boolean): void =>
  samples.forEach((sample, at) => {
    if (isHeld(sample)) into[at] = scoreOf(head, vectors[at]!);
  });

for (const [fold, kinds] of FOLDS.entries()) {
  const isHeld = (sample: Sample) => sample.fold === fold;
  score(
    alike,
    heldOut(isHeld, () => true, whole),
    isHeld,
  );
  for (const kind of kinds) {
    const isKind = (sample: Sample) => sample.kind === kind;
    // Real texts of the fold are carriers of these attacks: they are held out too.
    const head = heldOut(isKind, ({ isAttack, fold: own }) => isAttack || own !== fold, whole);
    score(single, head, isKind);
    if (kind === kinds[0]) score(single, head, ({ isAttack, fold: own }) => !isAttack && own === fold);
  }
  process.stderr.write(`\rfold ${fold + 1} of ${FOLDS.length}`);
}
process.stderr.write('\n');

const share = (of: (at: number) => boolean, origin: Origin): number => {
  const those = samples.flatMap((sample, at) => (sample.origin === origin ? [at] : []));
  return those.filter(of).length / those.length;
};
const shown = (value: number): string => value.toFixed(3);
const line = (name: string, finds: (at: number) => boolean): string =>
  `| ${name} | ${(['alone', 'inside', 'catalog', 'own'] as const).map((origin) => shown(share(finds, origin))).join(' | ')} |`;

/** The score that so many texts of real catalogs have or exceed. */
function threshold(scores: Float64Array): number {
  const harmless = scores.filter((_, at) => samples[at]!.origin === 'catalog').sort();
  return harmless[Math.ceil(harmless.length * (1 - FALSE_ALARMS)) - 1]!;
}
const byPattern = (at: number) => promptLikeText(samples[at]!.text) !== null;
const bySingle = (at: number) => single[at]! > threshold1;
const threshold1 = threshold(single);
const threshold2 = threshold(alike);

console.log(`${id}: ${samples.filter(({ origin }) => origin === 'alone').length} attacks, ${samples.filter(({ isAttack }) => !isAttack).length} harmless texts

| | recall, alone | recall, inside a description | false alarms, real catalogs | false alarms, texts close to attacks |
|---|---|---|---|---|
${line('patterns', byPattern)}
${line('head, one kind unseen', bySingle)}
${line('head, four kinds that are alike unseen', (at) => alike[at]! > threshold2)}
${line('patterns or head, one kind unseen', (at) => byPattern(at) || bySingle(at))}
`);
const passes = share(bySingle, 'alone') >= GOAL && share(bySingle, 'inside') >= GOAL;
console.log(
  passes ? 'It passes.' : `It does not pass: a recall of ${GOAL} at ${FALSE_ALARMS} false alarms, alone and inside.`,
);
