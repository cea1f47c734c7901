import { LineCounter, parseDocument } from 'yaml';
import { beyondLimit, LIMITS } from '../../model/parse/limits.ts';

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The text after the second `---`. */
  readonly body: string;
  /** Problems of the front matter, as sentences. */
  readonly warnings: readonly string[];
}

/**
 * Splits a Markdown text into front matter and body; null without front matter. Invalid YAML is read line by line: people
 * write `description: Use this when: asked` without the quotes that YAML needs. Throws INVALID_FILE if the front matter is
 * larger than anybody writes: the YAML library takes quadratic time for many keys.
 */
export function readFrontMatter(text: string): FrontMatter | null {
  const clean = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const opening = /^---[ \t]*\n/.exec(clean);
  if (opening === null) return null;
  const start = opening[0].length;
  const closing = /^---[ \t]*(?:\n|$)/gm;
  closing.lastIndex = start;
  const end = closing.exec(clean);
  if (end === null) return null;
  const head = clean.slice(start, end.index);
  checkSize(head);
  return { ...readHead(head), body: clean.slice(end.index + end[0].length) };
}

function checkSize(head: string): void {
  const options = { code: 'INVALID_FILE', field: 'content' } as const;
  if (head.length > LIMITS.front_matter_chars.max)
    throw beyondLimit('front_matter_chars', `The front matter has ${head.length} characters`, options);
  const parts = head.split(/[\n,]/).length - 1;
  if (parts > LIMITS.front_matter_parts.max)
    throw beyondLimit('front_matter_parts', `The front matter has ${parts} lines and commas`, options);
}

function readHead(head: string): Omit<FrontMatter, 'body'> {
  const lineCounter = new LineCounter();
  const document = parseDocument(head, { lineCounter, logLevel: 'silent', prettyErrors: false, version: '1.2' });
  const [error] = document.errors;
  if (error === undefined) {
    try {
      // Nested aliases can expand without limit.
      const parsed: unknown = document.toJS({ maxAliasCount: 100 });
      if (parsed === null) return { fields: {}, warnings: [] };
      if (typeof parsed === 'object' && !Array.isArray(parsed)) {
        return { fields: parsed as Record<string, unknown>, warnings: [] };
      }
      return { fields: {}, warnings: ['The front matter is not a list of fields.'] };
    } catch {
      return { fields: {}, warnings: ['The front matter has too many aliases and was not read.'] };
    }
  }
  // The first line of the file is the opening `---`.
  const line = lineCounter.linePos(error.pos[0]).line + 1;
  return {
    fields: plainFields(head),
    warnings: [`The front matter is not valid YAML at line ${line}; its lines were read one by one.`],
  };
}

/** `key: value` for every line that is not indented, with the indented lines below it. */
function plainFields(head: string): Record<string, unknown> {
  const fields: Record<string, string> = {};
  let key = '';
  for (const line of head.split('\n')) {
    const [, name, text] = /^([A-Za-z][\w-]*):(.*)$/s.exec(line) ?? [];
    if (name !== undefined && text !== undefined) {
      const value = text.trim();
      key = name;
      fields[key] = /^[>|][+-]?$/.test(value) ? '' : value.replace(/^(["'])(.*)\1$/, '$2');
    } else if (key !== '' && /^\s+\S/.test(line)) {
      fields[key] = `${fields[key]} ${line.trim()}`.trim();
    }
  }
  return fields;
}
