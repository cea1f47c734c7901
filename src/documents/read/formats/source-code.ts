import { trimEndChars } from '../../../model/text/trim-chars.ts';
import type { Block, ReadDocument } from '../../contract/document-reader.ts';
import { type DecodedFile, titleOnOneLine } from '../text/decoded-file.ts';
import { endOfLine, isBlank } from './plain-text.ts';

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

/** A longer declaration is cut into its members. */
const LONG_BLOCK_CHARS = 1500;
const MAX_DEPTH = 3;
/** How much of a line tells whether it declares something. */
const MAX_HEAD_CHARS = 500;

/**
 * Blocks by indentation: a declaration with the comment above it and all that is indented below it. The title of a block is
 * its first line up to the body. No language is parsed, so any language works, and a wrong cut costs only a title.
 */
export function readSourceCode({ name, text }: DecodedFile): ReadDocument {
  const blocks: Block[] = [];
  const lines = linesOf(text, 0, text.length);
  addBlocks(text, lines, smallestIndent(lines, -1), 1, blocks);
  return { title: name, format: 'code', text, blocks, metadata: {}, warnings: [] };
}

interface Line {
  readonly start: number;
  readonly end: number;
  /** Columns before the first character. -1 for a blank line. */
  readonly indent: number;
}

function linesOf(text: string, from: number, to: number): Line[] {
  const lines: Line[] = [];
  for (let at = from; at < to; ) {
    const end = endOfLine(text, at, to);
    lines.push({ start: at, end, indent: isBlank(text, at, end) ? -1 : indentOf(text, at, end) });
    at = end + 1;
  }
  return lines;
}

function indentOf(text: string, from: number, to: number): number {
  let columns = 0;
  for (let at = from; at < to; at++) {
    if (text[at] === '\t') columns += 4;
    else if (text[at] === ' ') columns++;
    else break;
  }
  return columns;
}

/** Cuts lines at one indent. Statements without a declaration stay together. */
function addBlocks(text: string, lines: readonly Line[], indent: number, level: number, blocks: Block[]): void {
  let open: Line[] = [];
  let title: string | null = null;
  const close = () => {
    if (open.some((line) => line.indent >= 0)) addBlock(text, open, title, level, blocks);
    open = [];
    title = null;
  };
  /** Comments and decorators: they belong to the declaration below them. */
  let leading: Line[] = [];
  for (const line of lines) {
    const words = text.slice(line.start, Math.min(line.end, line.start + MAX_HEAD_CHARS));
    if (line.indent !== indent) {
      // The inside of a block comment is indented, and is a part of the comment.
      if (leading.length > 0) leading.push(line);
      else open.push(line);
      continue;
    }
    if (isLeading(words)) {
      leading.push(line);
      continue;
    }
    const declared = declarationOf(words.trim());
    if (declared !== null || (title !== null && (leading.length > 0 || !isClosing(words)))) close();
    for (const comment of leading) open.push(comment);
    open.push(line);
    leading = [];
    if (declared !== null) title = titleOnOneLine(declared);
  }
  for (const comment of leading) open.push(comment);
  close();
}

function addBlock(text: string, lines: readonly Line[], title: string | null, level: number, blocks: Block[]): void {
  const start = lines.find((line) => line.indent >= 0)!.start;
  const end = lines.findLast((line) => line.indent >= 0)!.end;
  const whole: Block =
    title === null ? { kind: 'code', start, end, level } : { kind: 'code', start, end, level, title };
  const isLong = title !== null && end - start > LONG_BLOCK_CHARS && level < MAX_DEPTH;
  const members = isLong ? membersOf(text, lines, level) : [];
  if (members.filter((member) => member.title !== undefined).length < 2) {
    blocks.push(whole);
    return;
  }
  // Fields stand before the first member with a name, and stay with the head.
  const named = members.findIndex((member) => member.title !== undefined);
  blocks.push({ ...whole, end: members[named]!.start });
  for (const member of members.slice(named, -1)) blocks.push(member);
  blocks.push({ ...members.at(-1)!, end });
}

/** The blocks inside a long declaration. */
function membersOf(text: string, lines: readonly Line[], level: number): Block[] {
  const base = smallestIndent(lines, -1);
  const head = lines.findIndex(
    ({ indent, start, end }) => indent === base && declarationOf(text.slice(start, end).trim()) !== null,
  );
  const members: Block[] = [];
  const body = lines.slice(head + 1);
  addBlocks(text, body, smallestIndent(body, base), level + 1, members);
  return members;
}

const smallestIndent = (lines: readonly Line[], above: number): number =>
  lines.reduce((least, { indent }) => (indent > above && indent < least ? indent : least), Number.POSITIVE_INFINITY);

const isLeading = (words: string): boolean => /^\s*(?:\/\/|\/\*|\*|#(?=[\s#!])|--|;;|@\w|"""|''')/.test(words);
const isClosing = (words: string): boolean =>
  /^\s*(?:[)\]}>]|end\b|else\b|elif\b|except\b|finally\b|catch\b|\{)/.test(words);
