/** A text file: its name without folders, and its text with LF line ends. */
export interface DecodedFile {
  readonly name: string;
  readonly text: string;
}

/** The title of a document that has none of its own. */
export function titleFromName(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const dot = base.lastIndexOf('.');
  return dot > 0 ? base.slice(0, dot) : base;
}

/** A title on one line. Longer ones are cut: a path of headings is shown with every hit. */
export function titleOnOneLine(text: string): string {
  return text.slice(0, MAX_TITLE_CHARS).split(/\s+/).join(' ').trim();
}

const MAX_TITLE_CHARS = 1000;
