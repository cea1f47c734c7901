// The labeled texts: attacks of 20 kinds, written for this project, and texts that give no orders to a model.
import { readFileSync } from 'node:fs';
import { chanceOf, harmlessTexts } from './harmless.ts';

/** Kinds that are alike are held out together, so that a fold is measured on attacks of kinds that training has not seen. */
export const FOLDS: readonly (readonly string[])[] = [
  ['override', 'reset', 'new-role', 'fake-turn'],
  ['conceal', 'approval', 'conditional', 'persistence'],
  ['secret-files', 'credentials', 'history', 'prompt-leak'],
  ['tool-first', 'shadowing', 'discredit', 'to-the-model'],
  ['link', 'encoded', 'disguised', 'languages'],
];

/** Where a text is from. `inside`: an attack after the text of a real unit. */
export type Origin = 'alone' | 'inside' | 'own' | 'catalog';

export interface Sample {
  readonly text: string;
  readonly isAttack: boolean;
  readonly fold: number;
  readonly origin: Origin;
  /** Of an attack. */
  readonly kind?: string | undefined;
}

/** So much of a real text comes before an attack inside it. */
const CARRIER_CHARS = 200;

function labeled(file: string): readonly { readonly kind?: string; readonly text: string }[] {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const foldOf = (text: string): number => Math.floor(chanceOf(`fold ${text}`) * FOLDS.length);

export async function readSamples(data: string): Promise<readonly Sample[]> {
  const catalog = await harmlessTexts(data);
  const own = ['harmless.jsonl', '../../test/golden/injection/harmless.jsonl'].flatMap(labeled);
  const attacks = ['attacks.jsonl', '../../test/golden/injection/attacks.jsonl'].flatMap(labeled);
  const harmless = (texts: readonly string[], origin: Origin): Sample[] =>
    texts.map((text) => ({ text, isAttack: false, fold: foldOf(text), origin }));
  const samples = [
    ...harmless(catalog, 'catalog'),
    ...harmless(
      own.map(({ text }) => text),
      'own',
    ),
  ];
  for (const { kind, text } of attacks) {
    const fold = FOLDS.findIndex((kinds) => kinds.includes(kind ?? ''));
    if (fold < 0) throw new Error(`No fold has the kind ${kind}.`);
    samples.push({ text, isAttack: true, fold, origin: 'alone', kind });
    // A text of the same fold: no real text is in training and in the measurement.
    const carriers = catalog.filter((one) => foldOf(one) === fold);
    const carrier = carriers[Math.floor(chanceOf(`carrier ${text}`) * carriers.length)];
    if (carrier === undefined) continue;
    samples.push({ text: `${carrier.slice(0, CARRIER_CHARS)} ${text}`, isAttack: true, fold, origin: 'inside', kind });
  }
  return samples;
}
