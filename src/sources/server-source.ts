import { fileSource } from './file-source.ts';
import { parseJsonWithComments } from './formats/json-with-comments.ts';
import { readServerDocument } from './formats/server-document.ts';
import { fetchText } from './read-document.ts';
import { type RemoteSpec, remoteSource } from './remote-source.ts';
import type { Source, SourceContext, SourceTraits } from './source.ts';

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
