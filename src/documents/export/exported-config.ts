import { z } from 'zod';

/** The file in an exported folder that says what it serves. It has no key and no path of the machine that wrote it. */
export const CONFIG_FILE = 'collection.json';

export const exportedConfigSchema = z.strictObject({
  collection: z.string(),
  /** The model of the vectors: questions are embedded by the same one. */
  embeddings: z.strictObject({
    provider: z.string(),
    model: z.string().optional(),
    dimensions: z.int().optional(),
  }),
  dowser: z.string(),
  /**
   * Origins whose pages may use the server. `*`, as on the servers of IndexFoundry: any, for its routes. The setting
   * `allowed_origins` goes before it.
   */
  allowed_origins: z.union([z.literal('*'), z.array(z.string())], "must be '*' or a list of origins").default('*'),
});
export type ExportedConfig = z.output<typeof exportedConfigSchema>;

/** The parts of an exported folder. */
export const INDEX_FOLDER = 'index';
export const SERVER_FOLDER = 'server';
export const DEFAULT_PORT = 8080;
