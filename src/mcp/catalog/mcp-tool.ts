import type { z } from 'zod';
import type { Catalog, FullCatalog } from './catalog.ts';

/** One tool as data. The server, the docs tests and the surface tests read the table of tools. */
export interface McpTool<
  I extends z.ZodObject = z.ZodObject,
  O extends z.ZodObject = z.ZodObject,
  C extends Catalog = FullCatalog,
> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Whether the description ends with the summary of the catalog (`catalog-summary.ts`). */
  readonly hasSummary?: true;
  /** The list of tools says only that the answer is an object. For tools whose clients know the answer, or read the text. */
  readonly briefOutput?: true;
  /** Arguments that a lean list leaves out, to save tokens. A call may use them anyway. */
  readonly rareArguments?: readonly string[];
  readonly input: I;
  readonly output: O;
  /** The scope that its caller needs. */
  readonly right: 'read' | 'write';
  /** For clients that expect a failure in the format of an answer, besides `isError`. */
  readonly failure?: (message: string) => z.output<O>;
  /** Throws DowserError, which becomes a result with `isError`. */
  run(catalog: C, input: z.output<I>): Promise<ToolAnswer<z.output<O>>>;
}

export interface ToolAnswer<T> {
  readonly structured: T;
  /** The same as text for a model, in few tokens. */
  readonly text: string;
}

/** No tool reaches beyond this registry. One that writes deletes nothing for good: `forget_memory` can be undone for 30 days. */
export const annotationsOf = ({ right }: Pick<McpTool, 'right'>) =>
  right === 'write'
    ? { readOnlyHint: false, destructiveHint: false, openWorldHint: false }
    : { readOnlyHint: true, openWorldHint: false };

/** Each names an argument of the tool. */
export interface RareArguments<I extends z.ZodObject> {
  readonly rareArguments?: readonly (keyof I['shape'] & string)[];
}

/** Checks that the types of one tool fit together. The table of tools does not. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(
  tool: McpTool<I, O, Catalog> & RareArguments<I>,
): McpTool<I, O, Catalog> & RareArguments<I> {
  return tool;
}

/** The same for a tool of memories or documents. */
export function defineMemoryTool<I extends z.ZodObject, O extends z.ZodObject>(
  tool: McpTool<I, O> & RareArguments<I>,
): McpTool<I, O> {
  return tool;
}
