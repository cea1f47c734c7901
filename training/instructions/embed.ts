// The vectors of texts by the model that the product uses, kept between runs.
import { openEmbedder } from '../../src/embedders/open/open-embedder.ts';

const AT_ONCE = 64;

export interface Embedded {
  readonly id: string;
  readonly dimensions: number;
  readonly vectors: readonly Float32Array[];
}

export async function embedTexts(
  texts: readonly string[],
  options: { readonly model?: string | undefined; readonly cacheFile: string },
): Promise<Embedded> {
  const { embedder } = await openEmbedder({ modelName: options.model, cacheFile: options.cacheFile });
  if (embedder === null) throw new Error('There is no model.');
  try {
    const vectors: Float32Array[] = [];
    for (let from = 0; from < texts.length; from += AT_ONCE) {
      vectors.push(...(await embedder.embed(texts.slice(from, from + AT_ONCE), { as: 'document' })));
      process.stderr.write(`\r${Math.min(texts.length, from + AT_ONCE)} of ${texts.length} texts`);
    }
    process.stderr.write('\n');
    return { id: embedder.id, dimensions: embedder.dimensions, vectors };
  } finally {
    await embedder.close();
  }
}
