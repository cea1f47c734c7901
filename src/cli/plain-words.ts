import { isTooLate } from '../client/deadline.ts';
import { DowserError } from '../model/errors.ts';
import { announcedServer } from './server-file.ts';

/** What a field of a search is called on the command line. */
const FLAGS: Readonly<Record<string, string>> = {
  query: 'The query',
  entity_types: '--type',
  tags: '--tag',
  max_results: '--limit',
  offset: '--offset',
  min_confidence: '--min-confidence',
  facets: '--facets',
  preset: '--preset',
};

/** `'max_results' of the search request is 51` -> `--limit is 51`; a server says only "the request". */
const SEARCH_FIELD = /^'(\w+)(?:\.\d+)?' of the (?:search )?request is /;

/** A hint that names a route is for those who speak HTTP. */
const ROUTE = /\b(?:GET|POST|PUT|PATCH|DELETE) \//;

/** Who has a data folder, as the lock of the folder tells it. */
const HOLDER = /^(?:Process (\d+)|Another process) is using the data folder (.*)\.$/s;

/**
 * A command looks for a server first, and comes to the lock where none answers: then the server that the folder names
 * hangs, or another command has the folder, an import most often, and gives it back by itself.
 */
function hintOfLock(message: string): string | undefined {
  const found = HOLDER.exec(message);
  if (found === null) return undefined;
  const [, pid, dir = ''] = found;
  const server = announcedServer(dir);
  if (pid !== undefined && server?.pid === Number(pid)) {
    return `Process ${pid} is the server at ${server.url}, which does not answer. Try again, stop that process, or choose another folder with --data.`;
  }
  const holder = pid === undefined ? 'that process' : `process ${pid}`;
  return `No server answers for it, so ${holder} is another command, such as an import: the folder is free when it ends. Wait for it, or choose another folder with --data.`;
}

/** The same error for someone who typed a command: flags in place of fields, and no routes. */
export function inPlainWords(error: DowserError): DowserError {
  const { code, field, cause } = error;
  if (code === 'INTERNAL') return error;
  const hint = hintFor(error);
  const [start = '', name = ''] = SEARCH_FIELD.exec(error.message) ?? [];
  const flag = FLAGS[name];
  const message = flag === undefined ? error.message : `${flag} is ${error.message.slice(start.length)}`;
  const at = flag === undefined ? field : flag.startsWith('--') ? flag.slice(2) : field;
  return new DowserError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(at === undefined ? {} : { field: at }),
    cause,
  });
}

function hintFor(error: DowserError): string | undefined {
  const { code, message, ownHint } = error;
  // How long a command waits is not for its caller to say.
  if (isTooLate(error)) return 'It may be busy, and may still do what was asked. Try again later.';
  if (code === 'EMPTY_SEARCH') return 'Give words to look for, --tag, or both.';
  return (code === 'STORE_LOCKED' ? hintOfLock(message) : undefined) ?? routeless(ownHint);
}

function routeless(hint: string | undefined): string | undefined {
  return hint !== undefined && ROUTE.test(hint) ? undefined : hint;
}
