import { LineCounter, parseDocument } from 'yaml';

export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  /** What follows the second `---`. */
  readonly body: string;
  /** Why the head could not be read as it stands, as sentences. */
  readonly warnings: readonly string[];
}

/** A head is short; a longer one is a document that only begins with a ruler. */
const MAX_HEAD_CHARS = 100_000;

/**
 * Splits a Markdown text into its YAML head and its body; null when it has no head. Of a head with mistakes every line that
 * stands for itself is kept: people write `description: Use this when: asked` without the quotes that YAML wants.
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
      // A few aliases of aliases can grow without bound.
      const parsed: unknown = document.toJS({ maxAliasCount: 100 });
      if (parsed === null) return { fields: {}, warnings: [] };
      if (typeof parsed === 'object' && !Array.isArray(parsed)) {
        return { fields: parsed as Record<string, unknown>, warnings: [] };
      }
      return { fields: {}, warnings: ['The front matter is not a list of fields.'] };
    } catch {
      return { fields: {}, warnings: ['The front matter refers to itself too often and was not read.'] };
    }
  }
  // The first line of the file is the ruler above the head.
  const line = lineCounter.linePos(error.pos[0]).line + 1;
  return {
    fields: plainFields(head),
    warnings: [`The front matter is not YAML at line ${line}; its lines were read one by one.`],
  };
}

/** `key: rest of the line` for every line that is not indented, and the lines below a key that are. */
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
