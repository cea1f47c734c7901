import type { z } from 'zod';
import type { Catalog } from '../catalog.ts';

/** One tool as data: the server, the documents and the tests are read from the table of these. */
export interface McpTool<I extends z.ZodObject = z.ZodObject, O extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Whether the description ends with what the catalog holds (see `catalog-summary.ts`). */
  readonly tellsCatalog?: true;
  readonly input: I;
  readonly output: O;
  /** For a caller that expects failures in the shape of an answer, beside `isError`. */
  readonly failure?: (message: string) => z.output<O>;
  /** Throws DowserError; the server makes a result with `isError` of it. */
  run(catalog: Catalog, input: z.output<I>): Promise<ToolAnswer<z.output<O>>>;
}

export interface ToolAnswer<T> {
  readonly structured: T;
  /** The same for a model to read, in as few tokens as it takes. */
  readonly text: string;
}

/** Every tool only reads, which leaves nothing for the hints about changes to say, and knows nothing but this registry. */
export const ANNOTATIONS = { readOnlyHint: true, openWorldHint: false } as const;

/** Keeps the types of one row together; the table itself holds them loosely. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(tool: McpTool<I, O>): McpTool<I, O> {
  return tool;
}
