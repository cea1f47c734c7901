import { trimEndChars } from '../../../model/trim-chars.ts';

/** Words that may stand before the keyword of a declaration, in one language or another. */
const MODIFIERS =
  'export|default|declare|public|private|protected|internal|static|final|abstract|sealed|override|virtual|open|async|inline|unsafe|extern|const|partial|data|readonly|pub(?:\\([a-z]+\\))?';
const KEYWORDS =
  'function\\*?|class|interface|enum|struct|trait|impl|namespace|module|package|def|fn|func|fun|sub|procedure|type|record|object|protocol|extension|union|defmodule|defp?|contract|message|service|macro_rules!|CREATE (?:OR REPLACE )?(?:TABLE|VIEW|FUNCTION|PROCEDURE|INDEX|TRIGGER)';
const DECLARATION = new RegExp(`^(?:(?:${MODIFIERS})\\s+)*(?:${KEYWORDS})(?=\\s|[(<])\\s*[^\\s=].*`, 'i');
/** `const handler = async (request) => {` and `name = function (a) {`. */
const ASSIGNED =
  /^(?:export\s{1,4})?(?:const|let|var|local)?\s{0,4}[\w$.]+\s*(?::[^=]{0,80})?=\s*(?:async\s+)?(?:function\b|\([^)]{0,200}\)\s*(?::[^=]{0,80})?=>|\w+\s*=>)/;
/** A method or a C function: a name, parameters, and a body that opens on the line. */
const METHOD =
  /^(?!(?:if|for|while|switch|catch|return|else|do|try|with|new|throw|await|using|lock)\b)[\w$#~<>,*&:[\]?\s]{0,120}[\w$]+\s*\([^;]*\)[^;=]{0,80}\{$/;
const MAX_TITLE_CHARS = 160;

/** The head of the declaration that a line opens, without its body; null if it opens none. */
export function declarationOf(line: string): string | null {
  if (line.length > 500) return null;
  if (!DECLARATION.test(line) && !ASSIGNED.test(line) && !METHOD.test(line)) return null;
  const [beforeArrow = ''] = line.split('=>', 1);
  const head = trimEndChars(beforeArrow, ' \t{:=').trim();
  const title = head.length > MAX_TITLE_CHARS ? head.slice(0, MAX_TITLE_CHARS) : head;
  return title === '' ? null : title;
}
