import { LineCounter, parseDocument } from 'yaml';

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The text after the second `---`. */
  readonly body: string;
  /** Problems of the front matter, as sentences. */
  readonly warnings: readonly string[];
}

/** Front matter is short. A longer one is a document that begins with a horizontal rule. */
const MAX_HEAD_CHARS = 100_000;

/**
 * Splits a Markdown text into front matter and body; null without front matter. Invalid YAML is read line by line: people
 * write `description: Use this when: asked` without the quotes that YAML needs.
 */
export function readFrontMatter(text: string): FrontMatter | null {
  const clean = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const opening = /^---[ \t]*\n/.exec(clean);
  if (opening === null) return null;
  const start = opening[0].length;
  const closing = /^---[ \t]*(?:\n|$)/gm;
  closing.lastIndex = start;
  const end = closing.exec(clean);
  if (end === null || end.index > MAX_HEAD_CHARS) return null;
  const head = clean.slice(start, end.index);
  return { ...readHead(head), body: clean.slice(end.index + end[0].length) };
}

function readHead(head: string): Omit<FrontMatter, 'body'> {
  const lineCounter = new LineCounter();
  const document = parseDocument(head, { lineCounter, logLevel: 'silent', version: '1.2' });
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
    const [, name, value] = /^([A-Za-z][\w-]*):\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) {
      key = name;
      fields[key] = /^[>|][+-]?$/.test(value) ? '' : value.replace(/^(["'])(.*)\1$/, '$2');
    } else if (key !== '' && /^\s+\S/.test(line)) {
      fields[key] = `${fields[key]} ${line.trim()}`.trim();
    }
  }
  return fields;
}
