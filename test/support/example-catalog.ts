import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../examples/catalog/', import.meta.url);

/** The values of a JSONL file, one for each line. */
export const readJsonl = <T>(file: URL): readonly T[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

/** Every entity of the example catalog, as it is written. */
export function exampleCatalog(): readonly { readonly path: string }[] {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.jsonl'));
  return files.flatMap((name) => readJsonl<{ readonly path: string }>(new URL(name, FOLDER)));
}
