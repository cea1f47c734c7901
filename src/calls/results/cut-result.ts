import { canonicalJson } from '../../model/definitions.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { aboutTokens, countTokens, fitsTokens, partWithin } from '../../model/text/token-count.ts';

/** Of one image or recording, and of all in an answer, in bytes. Larger ones become a line that names them. */
const MAX_MEDIA_BYTES = 4 * 1024 * 1024;
const MAX_ALL_MEDIA_BYTES = 8 * 1024 * 1024;

export interface FittedResult {
  readonly result: JsonObject;
  /** Whether something was left out, so that the whole result must be kept. */
  readonly isCut: boolean;
}

/**
 * A result within a limit of tokens. What fits is the result itself. Otherwise text is cut at the end of a line, structured
 * content that does not fit is left out, and so is what was too large to pass on. The last block says how to read the rest. Media
 * stay what they are: they never become text.
 */
export function fitResult(result: JsonObject, id: string, maxTokens: number): FittedResult {
  const blocks: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const notes: string[] = [];
  let left = maxTokens;
  let media = 0;
  let before = 0;
  let isTextCut = false;
  const content = blocks.flatMap((block, at): unknown[] => {
    const bytes = mediaBytes(block);
    if (bytes > 0) {
      if (bytes <= MAX_MEDIA_BYTES && media + bytes <= MAX_ALL_MEDIA_BYTES) {
        media += bytes;
        return [block];
      }
      notes.push(`${mediaName(block)} of ${bytes} bytes was left out: ${readCall(`${id}.${at}`)}`);
      return [];
    }
    const text = textIn(block);
    if (text === undefined) return [block];
    if (isTextCut) return [];
    if (fitsTokens(text, left)) {
      left -= countTokens(text);
      before += text.length;
      return [block];
    }
    isTextCut = true;
    const shown = left <= 0 ? '' : partWithin(text, left);
    const from = before + shown.length;
    notes.push(
      `${maxTokens - left + countTokens(shown)} of ${totalTokens(blocks)} tokens are shown. The rest: ${readCall(id, from)}`,
    );
    left = 0;
    return shown === '' ? [] : [withText(block, shown)];
  });
  const { structuredContent, ...rest } = result;
  const structured = structuredContent === undefined ? '' : JSON.stringify(structuredContent);
  const keepsStructured = structured === '' || fitsTokens(structured, left);
  if (!keepsStructured) {
    const repeats = repeatsText(structuredContent, blocks);
    const what = repeats ? 'The structured content repeats the text and' : 'The structured content';
    notes.push(`${what} was left out to fit max_tokens: ${readCall(`${id}.structured`)}`);
  }
  if (notes.length === 0) return { result, isCut: false };
  const note = { type: 'text', text: `[${notes.join(' ')}]` };
  const kept = keepsStructured && structuredContent !== undefined ? { structuredContent } : {};
  return { result: { ...rest, ...kept, content: [...content, note] }, isCut: true };
}

function totalTokens(blocks: readonly unknown[]): string {
  const all = blocks.map((block) => aboutTokens(textIn(block) ?? ''));
  const tokens = all.reduce((sum, one) => sum + one.tokens, 0);
  return all.every(({ isExact }) => isExact) ? `${tokens}` : `about ${tokens}`;
}

/** All text of a result, for those who read on. */
export function wholeText(result: JsonObject): string {
  const blocks: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  return blocks.map((block) => textIn(block) ?? '').join('');
}

const readCall = (id: string, from?: number): string =>
  `read_result ${JSON.stringify(from === undefined ? { id } : { id, from_char: from })}.`;

/** The text of a block: its own, or that of an embedded resource. */
function textIn(block: unknown): string | undefined {
  if (!isJsonObject(block)) return undefined;
  if (block.type === 'text' && typeof block.text === 'string') return block.text;
  const { resource } = block;
  return block.type === 'resource' && isJsonObject(resource) && typeof resource.text === 'string'
    ? resource.text
    : undefined;
}

function withText(block: unknown, text: string): JsonObject {
  const whole = block as JsonObject;
  if (whole.type === 'text') return { ...whole, text };
  return { ...whole, resource: { ...(whole.resource as JsonObject), text } };
}

/** The size of an image, a recording or another file, which are base64. */
function mediaBytes(block: unknown): number {
  if (!isJsonObject(block)) return 0;
  const resource = isJsonObject(block.resource) ? block.resource : {};
  const data = block.type === 'resource' ? resource.blob : block.data;
  return typeof data === 'string' ? Math.floor((data.length * 3) / 4) : 0;
}

function mediaName(block: unknown): string {
  const { type, mimeType, resource } = block as JsonObject;
  const kind = isJsonObject(resource) ? resource.mimeType : mimeType;
  return `A block of type ${String(type)} (${String(kind ?? 'unknown')})`;
}

function repeatsText(structured: unknown, blocks: readonly unknown[]): boolean {
  const wanted = canonicalJson(structured);
  return blocks.some((block) => {
    const text = textIn(block);
    if (text === undefined || !/^\s*[[{]/.test(text)) return false;
    try {
      return canonicalJson(JSON.parse(text)) === wanted;
    } catch {
      return false;
    }
  });
}
