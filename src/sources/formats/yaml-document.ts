import { parse, YAMLParseError } from 'yaml';
import { DowserError } from '../../model/errors/errors.ts';

/** The YAML library takes quadratic time for many keys. */
const MAX_CHARS = 500_000;

/** Parses YAML, and JSON, which is YAML too. Throws INVALID_FILE. */
export function parseYaml(text: string, subject: string): unknown {
  if (text.length > MAX_CHARS) {
    throw new DowserError('INVALID_FILE', `${subject} has ${text.length} characters; ${MAX_CHARS} are allowed.`, {
      hint: 'Split it into smaller files.',
    });
  }
  try {
    return parse(text);
  } catch (thrown) {
    if (!(thrown instanceof YAMLParseError) && !(thrown instanceof ReferenceError)) throw thrown;
    throw new DowserError('INVALID_FILE', `${subject} is not YAML: ${thrown.message.split('\n')[0]}`, {
      cause: thrown,
    });
  }
}
