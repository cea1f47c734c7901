import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../model/json/json-object.ts';
import { fileSource } from '../fetch/file-source.ts';
import { inOrder } from '../fetch/in-order.ts';
import { type FetchedDocument, type FetchOptions, fetchDocument, unreachable } from '../fetch/read-document.ts';
import { type RemoteSpec, remoteSource } from '../fetch/remote-source.ts';
import { readAgentCard } from '../formats/a2a-card.ts';
import { type ArdHead, joinArdEntry, readArdHead, shownIdentifier, words } from '../formats/ard-entry.ts';
import { ardLinkOf } from '../formats/ard-link.ts';
import { parseJsonWithComments } from '../formats/json-with-comments.ts';
import { readServerDocument } from '../formats/server-document.ts';
import { readSkillMd } from '../formats/skill-file.ts';
import { publicUrl } from '../secrets/secret-references.ts';
import type { Source, SourceContext, SourceItem, SourceTraits } from '../source.ts';

const TRAITS: SourceTraits = { kind: 'ard', live: false, directory: true };

/** The paths of a publisher's manifest (ARD 0.91), then the older name. */
export const ARD_PLACES = ['/.well-known/ard.json', '/.well-known/ai-catalog.json'] as const;
const AT_ONCE = 6;
/** Of nested catalogs. */
const MAX_DEPTH = 4;
const MAX_CATALOGS = 100;

/** The entries of a manifest. Throws INVALID_FILE if it is not one. */
function ardEntries(manifest: unknown): readonly unknown[] {
  if (isJsonObject(manifest) && Array.isArray(manifest.entries)) return manifest.entries;
  throw new DowserError('INVALID_FILE', "The manifest has no list 'entries'.", {
    hint: 'An ARD manifest is the document that a publisher serves at /.well-known/ard.json.',
  });
}

/** One reading of a manifest with everything that it refers to. */
class CatalogReading {
  readonly #context: SourceContext;
  readonly #signal: AbortSignal;
  readonly #seen = new Set<string>();

  constructor(context: SourceContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  /** The entries of a catalog in order, then those of the catalogs that it names. `at` is its address, null for a file. */
  async *read(manifest: unknown, at: URL | null, depth = 0): AsyncGenerator<SourceItem> {
    if (at !== null) this.#seen.add(at.href);
    const nested: ArdHead[] = [];
    const others: unknown[] = [];
    for (const entry of ardEntries(manifest)) {
      const head = headOf(entry);
      if (head?.kind === 'catalog') nested.push(head);
      else others.push(entry);
    }
    yield* inOrder(others, AT_ONCE, this.#signal, async (entry) => {
      const item = await this.#item(entry, at);
      this.#signal.throwIfAborted();
      return item;
    });
    for (const head of nested) yield* this.#catalog(head, at, depth + 1);
  }

  /** A catalog that cannot be read does not stop the others. */
  async *#catalog({ entry, identifier }: ArdHead, at: URL | null, depth: number): AsyncGenerator<SourceItem> {
    try {
      if (depth > MAX_DEPTH) throw new DowserError('INVALID_FILE', `Catalogs are nested more than ${MAX_DEPTH} deep.`);
      const address = addressOf(entry, at);
      if (entry.data === undefined && this.#seen.has(address)) return;
      if (this.#seen.size >= MAX_CATALOGS)
        throw new DowserError('INVALID_FILE', `The manifest has more than ${MAX_CATALOGS} catalogs.`);
      const document = entry.data === undefined ? await this.#fetch(address, at) : undefined;
      const catalog =
        document === undefined ? entry.data : parseJsonWithComments(document.text, publicUrl(address).text);
      yield* this.read(catalog, document === undefined ? at : new URL(document.url), depth);
    } catch (thrown) {
      this.#signal.throwIfAborted();
      yield { part: identifier, problem: toDowserError(thrown) };
    }
  }

  /** One entry and its document. A missing document is a warning: the entry alone can be searched. */
  async #item(entry: unknown, at: URL | null): Promise<SourceItem> {
    let head: ArdHead;
    try {
      head = readArdHead(entry);
    } catch (thrown) {
      return { part: shownIdentifier(entry), problem: toDowserError(thrown) };
    }
    const { identifier: part, kind, mediaType } = head;
    if (kind === 'registry') return { part, skipped: 'another registry. Add it by its address' };
    if (kind === undefined) return { part, skipped: `unsupported type ${mediaType === '' ? '(none)' : mediaType}` };
    const { data } = head.entry;
    const address = data === undefined ? addressOf(head.entry, at) : '';
    const warnings: string[] = [];
    let artifact: JsonObject = {};
    try {
      const read = readArtifact(kind, data ?? (await this.#fetch(address, at)).text);
      artifact = read.entity;
      warnings.push(...read.warnings);
    } catch (thrown) {
      warnings.push(`Its document was not read: ${toDowserError(thrown).message}`);
    }
    const joined = joinArdEntry(head, artifact, address);
    return { part, entity: joined.entity, warnings: [...warnings, ...joined.warnings] };
  }

  async #fetch(address: string, at: URL | null): Promise<FetchedDocument> {
    const options: FetchOptions = {
      limits: this.#context.limits,
      signal: this.#signal,
      ...(at === null ? {} : { namedBy: at }),
    };
    const document = await fetchDocument(address, options);
    if (document.status === 200) return document;
    throw unreachable(address, `answers ${document.status}`);
  }
}

function headOf(entry: unknown): ArdHead | undefined {
  try {
    return readArdHead(entry);
  } catch {
    return undefined;
  }
}

/** The address of the document of an entry, which may be relative to the manifest. */
function addressOf(entry: JsonObject, at: URL | null): string {
  const address = words(entry.url);
  return at === null || !URL.canParse(address, at.href) ? address : new URL(address, at).href;
}

function readArtifact(
  type: string,
  data: unknown,
): { readonly entity: JsonObject; readonly warnings: readonly string[] } {
  if (type === 'skill')
    return readSkillMd(typeof data === 'string' ? data : words((data as JsonObject | null)?.content));
  const document = typeof data === 'string' ? parseJsonWithComments(data, 'The document of the entry') : data;
  return type === 'a2a_agent'
    ? readAgentCard(document, { fetched: true })
    : { entity: readServerDocument(document), warnings: [] };
}

export function ardFileSource(path: string, context: SourceContext): Source {
  return fileSource(path, context, TRAITS, ({ text, file, signal }) =>
    new CatalogReading(context, signal).read(parseJsonWithComments(text, file), null),
  );
}

/**
 * A publisher's manifest: at the given address if it names a document, where the page at the address says (`rel="ard"`), or
 * at its well-known path.
 */
export function ardUrlSource(spec: RemoteSpec, context: SourceContext): Source {
  return remoteSource(spec, context, TRAITS, async function* ({ url, headers, signal }) {
    const { limits } = context;
    const named = /\.json$/i.test(new URL(url).pathname);
    const page = named ? undefined : await fetchDocument(url, { limits, signal, headers });
    const link = page?.status === 200 ? ardLinkOf(page.text, page.url) : undefined;
    const manifest =
      link === undefined
        ? await firstManifest(url, named ? [url] : ARD_PLACES.map((place) => new URL(place, url).href), {
            limits,
            signal,
            headers,
          })
        : await firstManifest(url, [link], { limits, signal, namedBy: new URL(page?.url ?? url) });
    yield* new CatalogReading(context, signal).read(
      parseJsonWithComments(manifest.text, publicUrl(manifest.url).text),
      new URL(manifest.url),
    );
  });
}

async function firstManifest(url: string, addresses: readonly string[], options: FetchOptions) {
  let status = 0;
  for (const address of addresses) {
    const document = await fetchDocument(address, options);
    status = document.status;
    if (status === 200) return document;
  }
  throw unreachable(url, `has no ARD manifest (the last answer was ${status})`);
}
