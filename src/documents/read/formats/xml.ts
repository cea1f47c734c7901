import { Parser } from 'htmlparser2';

export interface XmlHandler {
  open(tag: string, attributes: Readonly<Record<string, string>>): void;
  close(tag: string): void;
  say(words: string): void;
}

/** Walks through XML without building a tree, and without entities that a document defines itself. */
export function readXml(xml: string, handler: XmlHandler): void {
  const parser = new Parser(
    {
      onopentag: (tag, attributes) => handler.open(tag, attributes),
      onclosetag: (tag) => handler.close(tag),
      ontext: (words) => handler.say(words),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}
