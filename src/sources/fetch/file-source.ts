import { resolve } from 'node:path';
import type { Source, SourceContext, SourceItem, SourceTraits } from '../source.ts';
import { readTextFile } from './read-document.ts';

export interface FileReading {
  readonly text: string;
  /** The absolute path. */
  readonly file: string;
  readonly signal: AbortSignal;
}

/** A source that is one local file. */
export function fileSource(
  path: string,
  { limits }: SourceContext,
  traits: SourceTraits,
  read: (reading: FileReading) => AsyncIterable<SourceItem> | Iterable<SourceItem>,
): Source {
  const file = resolve(path);
  return {
    ...traits,
    locator: { file },
    title: file,
    async *read(signal): AsyncGenerator<SourceItem> {
      yield* read({ text: await readTextFile(file, limits.maxBytes), file, signal });
    },
  };
}
