import type { CommandInfo } from './command-info.ts';
import { DAILY_COMMANDS } from './daily-commands.ts';
import { UPKEEP_COMMANDS } from './upkeep-commands.ts';

export type { CommandInfo, OptionInfo } from './command-info.ts';

/** Every command as data, for the help, the parser, shell completion and the tests of `docs/cli.md`. */
export const COMMANDS = [...DAILY_COMMANDS, ...UPKEEP_COMMANDS] as const satisfies readonly CommandInfo[];

export type CommandName = (typeof COMMANDS)[number]['name'];

/** The command of a name or of one of its aliases. */
export function commandNamed(word: string | undefined): (CommandInfo & { readonly name: CommandName }) | undefined {
  return COMMANDS.find((info: CommandInfo) => info.name === word || info.aliases?.includes(word ?? ''));
}
