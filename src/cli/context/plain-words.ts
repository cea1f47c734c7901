import { isTooLate } from '../../client/deadline.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { problemWords } from '../../model/parse/parse.ts';
import { announcedServer } from './server-file.ts';

/** The flags of fields, by what the request is about. */
const FLAGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'search request': {
    query: 'The query',
    entity_types: '--type',
    tags: '--tag',
    max_results: '--limit',
    offset: '--offset',
    min_confidence: '--min-confidence',
    facets: '--facets',
    preset: '--preset',
  },
  collection: {
    name: '--name',
    include: '--include',
    exclude: '--exclude',
    note: '--note',
    'chunking.strategy': '--strategy',
    'chunking.max_chars': '--chunk-size',
    'chunking.overlap_chars': '--overlap',
  },
};

function flagOf({ field = '', details }: DowserError): string | undefined {
  const flags = FLAGS[details?.subject ?? ''];
  return flags?.[field] ?? flags?.[field.split('.')[0]!];
}

/**
 * A command opens the folder only if no server answers. So the process that locks it is a server that hangs, or another
 * command, such as an import.
 */
function hintOfLock({ details = {} }: DowserError): string | undefined {
  const { data_dir: dir, pid } = details;
  if (dir === undefined) return undefined;
  const server = announcedServer(dir);
  if (pid !== undefined && server?.pid === pid) {
    return `Process ${pid} is the server at ${server.url}, which does not answer. Try again, stop that process, or use another folder with --data.`;
  }
  const holder = pid === undefined ? 'that process' : `process ${pid}`;
  return `No server answers, so ${holder} is another command, such as an import. Wait until it ends, or use another folder with --data.`;
}

/** The error for the command line: with flags in place of fields, and without routes. */
export function inPlainWords(error: DowserError): DowserError {
  const { code, field, details, cause } = error;
  if (code === 'INTERNAL') return error;
  const flag = flagOf(error);
  const message = flag === undefined ? error.message : `${flag} ${problemWords({ ...details })}`;
  const at = flag?.startsWith('--') ? flag.slice(2) : field;
  return new DowserError(code, message, { hint: hintFor(error), field: at, details, cause });
}

function hintFor(error: DowserError): string | undefined {
  const { code, ownHint, details } = error;
  // A command has no option for its timeout.
  if (isTooLate(error)) return 'The server may be busy, and may still finish the request. Try again later.';
  if (code === 'EMPTY_SEARCH') return 'Give a query, --tag, or both.';
  if (code === 'STORE_LOCKED') return hintOfLock(error) ?? ownHint;
  // The hint points to the docs of the HTTP API.
  return details?.docs === undefined ? ownHint : undefined;
}
