import type { McpServer, ReadResourceResult, RegisteredResource } from '@modelcontextprotocol/server';
import { hasInstructionWarning, textWarnings } from '../../model/prompt-scan/prompt-like.ts';
import type { Catalog } from './catalog.ts';

/** What a model is about to read: the text, and the value that a program reads. `asked` names what it asked for. */
interface ModelAnswer {
  readonly text: string;
  readonly structured?: object;
  readonly asked?: unknown;
}

/**
 * Every answer of every MCP server passes here: what its text says to the model that the answer does not warn of yet. The notes of a
 * registry in this process name the entities; any other text is checked as it leaves.
 */
export async function modelWarnings(
  { instructionWarnings }: Pick<Catalog, 'instructionWarnings'>,
  { text, structured, asked }: ModelAnswer,
): Promise<readonly string[]> {
  const { warnings: said = [] } = (structured ?? {}) as { readonly warnings?: unknown };
  const known = Array.isArray(said) ? said.map(String) : [];
  const noted = (await instructionWarnings?.([asked, structured ?? jsonOf(text)])) ?? [];
  const added = noted.filter((warning) => !known.includes(warning) && !text.includes(warning));
  const isWarned = noted.length > 0 || [...known, text].some(hasInstructionWarning);
  if (isWarned) return added;
  // Checking a text takes time, and most texts say what the value says, with other numbers at each call. Longer ones say more.
  const isWhole = structured !== undefined && JSON.stringify(structured).length >= text.length;
  return textWarnings('This answer', isWhole ? structured : [structured, text]);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A content of its own behind the answer: some clients parse the first one. */
export const warningContent = (warnings: readonly string[]) =>
  warnings.length === 0 ? [] : [{ type: 'text' as const, text: warnings.join('\n') }];

const WARNINGS_URI = 'dowser://warnings';

/** Resources that are registered after this carry their warnings. Call it before any is. */
export function warnOfResources(server: McpServer, catalog: Catalog): void {
  type Read = (...asked: readonly unknown[]) => Promise<ReadResourceResult>;
  const register = server.registerResource.bind(server) as (...given: readonly unknown[]) => RegisteredResource;
  const warned =
    (read: Read): Read =>
    async (...asked) => {
      const result = await read(...asked);
      const texts = result.contents.map((content) => ('text' in content ? content.text : ''));
      const warnings = await modelWarnings(catalog, { text: texts.join('\n') });
      if (warnings.length === 0) return result;
      const note = { uri: WARNINGS_URI, mimeType: 'text/plain', text: warnings.join('\n') };
      return { ...result, contents: [...result.contents, note] };
    };
  const registerWarned = (name: string, uri: unknown, config: unknown, read: Read) =>
    register(name, uri, config, warned(read));
  server.registerResource = registerWarned as unknown as McpServer['registerResource'];
}
