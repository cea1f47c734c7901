import { fileSource } from '../fetch/file-source.ts';
import { fetchText } from '../fetch/read-document.ts';
import { type RemoteSpec, remoteSource } from '../fetch/remote-source.ts';
import { parseJsonWithComments } from '../formats/json-with-comments.ts';
import { readServerDocument } from '../formats/server-document.ts';
import type { Source, SourceContext, SourceTraits } from '../source.ts';

const TRAITS: SourceTraits = { kind: 'server', live: false, directory: true };

/** A `server.json`, from a file. */
export function serverFileSource(path: string, context: SourceContext): Source {
  return fileSource(path, context, TRAITS, function* ({ text, file }) {
    yield { part: '', entity: readServerDocument(parseJsonWithComments(text, file)), warnings: [] };
  });
}

/** A `server.json`, from an address. */
export function serverUrlSource(spec: RemoteSpec, context: SourceContext): Source {
  return remoteSource(spec, context, TRAITS, async function* ({ url, headers, signal, title }) {
    const text = await fetchText(url, { limits: context.limits, signal, headers });
    yield { part: '', entity: readServerDocument(parseJsonWithComments(text, title)), warnings: [] };
  });
}
