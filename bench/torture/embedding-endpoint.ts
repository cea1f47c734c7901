import { fakeVector, startFakeEmbeddingServer } from '../../test/support/fake-embedding-server.ts';

/** Two models: vectors of one are never compared with the other's. */
export const MODELS = { north: 8, south: 12 } as const;
export type ModelName = keyof typeof MODELS;

export interface EmbeddingEndpoint {
  /** The settings of a server that asks it, as environment variables. */
  environment(model: ModelName): Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** An endpoint whose models take no time, so that a round has vectors and model changes too. */
export async function startEmbeddingEndpoint(): Promise<EmbeddingEndpoint> {
  const server = await startFakeEmbeddingServer();
  server.otherwise(({ body: { input, model } }) => {
    server.requests.length = 0;
    const dimensions = MODELS[model as ModelName];
    return { data: input.map((text, index) => ({ index, embedding: fakeVector(text, dimensions) })) };
  });
  return {
    environment: (model) => ({
      EMBEDDINGS_PROVIDER: 'openai',
      EMBEDDINGS_API_BASE: server.base,
      EMBEDDINGS_MODEL_NAME: model,
      EMBEDDINGS_DIMENSIONS: String(MODELS[model]),
    }),
    close: () => server.close(),
  };
}
