import { DowserError } from '../../model/errors/errors.ts';
import { jsonChars } from '../../model/parse/check-json.ts';
import type { Source, SourceItem, SourceLimits } from '../source.ts';

/** One document may have `maxBytes`; all of them together this many times as much. */
const DOCUMENTS = 32;

/**
 * A source that ends: with too many items, too much text, the same items again, or after too long. What was read before is
 * kept, and the error says that the list was cut. A reading that was cut tells nothing about what it did not reach.
 */
export function boundedSource(source: Source, limits: SourceLimits): Source {
  return { ...source, read: (signal) => readWithin(source, limits, signal) };
}

async function* readWithin(source: Source, limits: SourceLimits, signal: AbortSignal): AsyncGenerator<SourceItem> {
  const { maxItems, maxBytes, totalMs } = limits;
  const { title } = source;
  const timeout = AbortSignal.timeout(totalMs);
  const maxChars = maxBytes * DOCUMENTS;
  const seen = new Set<string>();
  let repeated = 0;
  let items = 0;
  let chars = 0;
  try {
    for await (const item of source.read(AbortSignal.any([signal, timeout]))) {
      if (timeout.aborted) throw tooLong(title, totalMs);
      if (++items > maxItems) throw cut(title, `it has more than ${maxItems} items`, 'source_max_items');
      if ('entity' in item) chars += jsonChars(item.entity, maxChars);
      if (chars > maxChars) throw cut(title, `it has more than ${maxChars} characters`, 'source_max_bytes');
      repeated = seen.has(item.part) ? repeated + 1 : 0;
      if (repeated > MAX_REPEATED) throw cut(title, 'it lists the same items again and again');
      seen.add(item.part);
      yield item;
    }
  } catch (thrown) {
    signal.throwIfAborted();
    throw timeout.aborted && !(thrown instanceof DowserError) ? tooLong(title, totalMs) : thrown;
  }
}

/** A directory may list several versions of a server one after the other, but not this many. */
const MAX_REPEATED = 1000;

function cut(title: string, why: string, setting?: string): DowserError {
  return new DowserError('BODY_TOO_LARGE', `The list of ${title} was cut: ${why}.`, {
    hint: setting === undefined ? 'Check the source.' : `Raise the setting '${setting}' to read more.`,
  });
}

function tooLong(title: string, totalMs: number): DowserError {
  return new DowserError(
    'SOURCE_UNREACHABLE',
    `The list of ${title} was cut: it took longer than ${totalMs / 1000} s.`,
    {
      hint: "Raise the setting 'source_total_ms' to read longer.",
    },
  );
}
