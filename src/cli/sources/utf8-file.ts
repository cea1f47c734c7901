import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { DowserError } from '../../model/errors/errors.ts';

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 1 << 20;

interface Lines {
  /** The number of the first of these lines, counted from 1. */
  readonly first: number;
  /** Whole lines, with the line feeds between them. */
  readonly bytes: Buffer;
}

/** A file in pieces of whole lines. A line feed is never part of another character, so each piece can be checked alone. */
async function* wholeLines(file: string): AsyncGenerator<Lines> {
  let first = 1;
  let begun: Buffer[] = [];
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(LINE_FEED);
    if (end === -1) {
      begun.push(chunk);
      continue;
    }
    const bytes = Buffer.concat([...begun, chunk.subarray(0, end)]);
    begun = [chunk.subarray(end + 1)];
    yield { first, bytes };
    first += split(bytes).length;
  }
  yield { first, bytes: Buffer.concat(begun) };
}

/** As latin1, a byte is a character: nothing is lost. */
const split = (bytes: Buffer): readonly string[] => bytes.toString('latin1').split('\n');

/**
 * Throws INVALID_FILE for a file that is not UTF-8, with its first wrong line. Otherwise its text would be stored with
 * replacement characters. Reads the whole file.
 */
export async function checkUtf8(file: string): Promise<void> {
  try {
    for await (const { first, bytes } of wholeLines(file)) {
      const isUtf16 = first === 1 && ['fffe', 'feff'].includes(bytes.subarray(0, 2).toString('hex'));
      if (isUtf16) throw notUtf8(file, 1, 'it begins like UTF-16', 'UTF-16');
      if (isUtf8(bytes)) continue;
      if (bytes.includes(0)) throw notText(file, bytes);
      const at = split(bytes).findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')));
      throw notUtf8(file, first + at, 'it has invalid bytes', 'ISO-8859-1');
    }
  } catch (cause) {
    if (cause instanceof DowserError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new DowserError('INVALID_FILE', `${file} cannot be read (${code ?? message}).`, { cause });
  }
}

const GZIP = '1f8b';

/** Text has no zero bytes. Compressed files and programs nearly always do. */
function notText(file: string, bytes: Buffer): DowserError {
  const isCompressed = bytes.subarray(0, 2).toString('hex') === GZIP;
  return new DowserError('INVALID_FILE', `${file} is not a text file. Nothing was imported.`, {
    hint: isCompressed ? 'It is compressed. Decompress it first, such as with `gunzip`.' : 'Name a JSON Lines file.',
  });
}

function notUtf8(file: string, line: number, why: string, likely: string): DowserError {
  return new DowserError('INVALID_FILE', `Line ${line} of ${file} is not UTF-8: ${why}. Nothing was imported.`, {
    hint: `Save the file as UTF-8, or convert it, such as with \`iconv -f ${likely} -t UTF-8\`.`,
  });
}
