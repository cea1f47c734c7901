import type { CommandInfo } from './command-info.ts';
import { CALL_COMMANDS } from './command-tables/call-commands.ts';
import { ENTITY_COMMANDS } from './command-tables/entity-commands.ts';
import { MEMORY_AND_DOCUMENT_COMMANDS } from './command-tables/memory-and-document-commands.ts';
import { OWNER_COMMANDS } from './command-tables/owner-commands.ts';
import { SEARCH_COMMANDS } from './command-tables/search-commands.ts';
import { UPKEEP_COMMANDS } from './command-tables/upkeep-commands.ts';

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
