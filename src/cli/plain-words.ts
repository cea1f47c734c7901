import { isTooLate } from '../client/deadline.ts';
import { DowserError } from '../model/errors.ts';
import { problemWords } from '../model/parse.ts';
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

/**
 * A command looks for a server first, and opens the folder where none answers. So the process that locks the folder is a
 * server that hangs, or another command, such as an import.
 */
function hintOfLock({ details = {} }: DowserError): string | undefined {
  const { data_dir: dir, pid } = details;
  if (dir === undefined) return undefined;
  const server = announcedServer(dir);
  if (pid !== undefined && server?.pid === pid) {
    return `Process ${pid} is the server at ${server.url}, which does not answer. Try again, stop that process, or choose another folder with --data.`;
  }
  const holder = pid === undefined ? 'that process' : `process ${pid}`;
  return `No server answers for it, so ${holder} is another command, such as an import: the folder is free when it ends. Wait for it, or choose another folder with --data.`;
}

/** The same error for someone who typed a command: flags in place of fields, and no routes. */
export function inPlainWords(error: DowserError): DowserError {
  const { code, field, details, cause } = error;
  if (code === 'INTERNAL') return error;
  const flag = details?.subject === 'search request' ? FLAGS[field?.split('.')[0] ?? ''] : undefined;
  const message = flag === undefined ? error.message : `${flag} ${problemWords({ ...details })}`;
  const at = flag?.startsWith('--') ? flag.slice(2) : field;
  return new DowserError(code, message, { hint: hintFor(error), field: at, details, cause });
}

function hintFor(error: DowserError): string | undefined {
  const { code, ownHint, details } = error;
  // How long a command waits is not for its caller to say.
  if (isTooLate(error)) return 'It may be busy, and may still do what was asked. Try again later.';
  if (code === 'EMPTY_SEARCH') return 'Give words to look for, --tag, or both.';
  if (code === 'STORE_LOCKED') return hintOfLock(error) ?? ownHint;
  // Documents of the HTTP API are for those who speak HTTP.
  return details?.docs === undefined ? ownHint : undefined;
}
