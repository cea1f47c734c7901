import { isJsonObject } from '../../model/json/json-object.ts';
import { textWarnings } from '../../model/prompt-scan/prompt-like.ts';
import type { Reply } from '../body/reply.ts';
import type { Surface } from './caller-surfaces.ts';

/** For answers whose shape others have specified, and for those that are text or a list. */
export const WARNINGS_HEADER = 'Dowser-Warnings';

interface ReaderOptions {
  /** The parameters of the request: an answer may show an entity without its path. */
  readonly asked?: unknown;
  /** Whether the body may have a field that its standard does not know. */
  readonly isOurs: boolean;
}

/**
 * Every answer of a server passes here. Where it shows an entity with text that reads like an instruction to a model, it says so: in
 * `warnings` of the body, and in a header where the body has no place for them.
 */
export async function warnReaders(
  { warningsOf }: Pick<Surface, 'warningsOf'>,
  reply: Reply,
  { asked, isOurs }: ReaderOptions,
): Promise<Reply> {
  const { body } = reply;
  if (body === undefined) return reply;
  const noted = await warningsOf([asked, typeof body === 'string' ? parsed(body) : body]);
  // One entity under the name that a standard gives it. Lists have its path too.
  const isNamedByOthers = !isOurs && noted.length === 0 && asked !== undefined;
  const found = isNamedByOthers ? textWarnings('This answer', body) : noted;
  if (found.length === 0) return reply;
  const { warnings: given = [] } = isJsonObject(body) ? body : {};
  if (!isOurs || !isJsonObject(body) || !Array.isArray(given)) {
    return { ...reply, headers: { ...reply.headers, [WARNINGS_HEADER]: headerText(found) } };
  }
  const added = found.filter((warning) => !given.includes(warning));
  return added.length === 0 ? reply : { ...reply, body: { ...body, warnings: [...given, ...added] } };
}

/** The same for an answer in steps: those with `warnings` get them. */
export async function* warnSteps<T extends object>(
  { warningsOf }: Pick<Surface, 'warningsOf'>,
  steps: AsyncIterable<T>,
): AsyncGenerator<T> {
  for await (const step of steps) {
    const { warnings } = step as { readonly warnings?: readonly string[] };
    if (warnings === undefined) yield step;
    else yield { ...step, warnings: [...new Set([...warnings, ...(await warningsOf(step))])] };
  }
}

/** Some answers of standards are written as JSON already. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Headers have Latin letters only. */
const headerText = (warnings: readonly string[]): string =>
  warnings
    .join(' ')
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/[^ -~]/gu, (letter) => (/\p{Surrogate}/u.test(letter) ? '?' : encodeURIComponent(letter)));
