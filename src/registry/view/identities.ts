import type { Entity, McpServer } from '../../model/entity.ts';
import { descriptorOf } from '../../model/entity-types/table.ts';
import { trimEndChars } from '../../model/text/trim-chars.ts';

/** A URL to compare: lowercase host, no slash at the end. Null without a URL. */
export function addressOf(url: string | undefined): string | null {
  const text = url?.trim() ?? '';
  if (text === '') return null;
  return trimEndChars(URL.canParse(text) ? new URL(text).href : text, '/');
}

/** The URLs of an entity, in the form of `addressOf`. */
export function addressesOf(entity: Entity): readonly string[] {
  return descriptorOf(entity)
    .addresses(entity)
    .flatMap((url) => addressOf(url) ?? []);
}

/** What only one entity of a type should have, as `<what> <value>`. Two entities that share one are probably the same. */
export function identitiesOf(entity: Entity): readonly string[] {
  const name = entity.official_name;
  const command = entity.type === 'mcp_server' ? commandOf(entity) : null;
  return [
    ...new Set(addressesOf(entity).map((address) => `address ${address}`)),
    ...(command === null ? [] : [`command ${command}`]),
    ...(name === undefined ? [] : [`official name ${name}`]),
  ];
}

/** What an identity is, in words: `address`, `command` or `official name`. */
export const identityWord = (identity: string): string => /^(?:official name|\w+)/.exec(identity)![0];

const isRelativeFile = (word: string): boolean =>
  /^\.{1,2}\/|\.(?:[cm]?[jt]s|py|rb|jar|sh)$/.test(word) && !word.startsWith('/');

/** The program or package with its arguments. The version does not matter, the folder only for files in it. */
function commandOf({ local_runtime: runtime }: McpServer): string | null {
  const program = runtime?.package ?? runtime?.command;
  if (typeof program !== 'string') return null;
  const args = Array.isArray(runtime?.args) ? runtime.args.map(String) : [];
  const words = [...(typeof runtime?.type === 'string' ? [runtime.type] : []), program, ...args];
  return JSON.stringify(words.some(isRelativeFile) ? [...words, runtime?.cwd] : words);
}
