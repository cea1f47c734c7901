import { CALL_COMMANDS } from './call-commands.ts';
import type { CommandInfo } from './command-info.ts';
import { ENTITY_COMMANDS } from './entity-commands.ts';
import { MEMORY_AND_DOCUMENT_COMMANDS } from './memory-and-document-commands.ts';
import { OWNER_COMMANDS } from './owner-commands.ts';
import { SEARCH_COMMANDS } from './search-commands.ts';
import { UPKEEP_COMMANDS } from './upkeep-commands.ts';

export type { CommandInfo, OptionInfo } from './command-info.ts';

/** Every command as data, for the help, the parser, shell completion and the tests of `docs/cli.md`. */
export const COMMANDS = [
  ...SEARCH_COMMANDS,
  ...CALL_COMMANDS,
  ...MEMORY_AND_DOCUMENT_COMMANDS,
  ...ENTITY_COMMANDS,
  ...OWNER_COMMANDS,
  ...UPKEEP_COMMANDS,
] as const satisfies readonly CommandInfo[];

export type CommandName = (typeof COMMANDS)[number]['name'];

/** The command of a name or of one of its aliases. */
export function commandNamed(word: string | undefined): (CommandInfo & { readonly name: CommandName }) | undefined {
  return COMMANDS.find((info: CommandInfo) => info.name === word || info.aliases?.includes(word ?? ''));
}
