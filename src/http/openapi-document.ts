import { toOpenApi } from '../api/openapi.ts';
import { inTurns } from './in-turns.ts';

type OpenApiDocument = Readonly<Record<string, unknown>>;

const documents = new Map<string, Promise<OpenApiDocument>>();

/** Made once for all callers, in several turns of the event loop. */
export function openApiDocument(version: string): Promise<OpenApiDocument> {
  const known = documents.get(version) ?? inTurns(toOpenApi(version));
  documents.set(version, known);
  return known;
}
