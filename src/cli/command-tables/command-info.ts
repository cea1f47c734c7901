import { ENTITY_TYPES, PRESET_NAMES } from '../../model/entity-parts/names.ts';

/** What a command says about itself, and the options that several commands have. Imports names only, so that `--help` is fast. */
export interface OptionInfo {
  /** As a user types it: `--limit <n>`. */
  readonly flags: string;
  readonly summary: string;
  /** May be given several times. */
  readonly repeat?: true;
  /** Every value it takes, for shell completion. */
  readonly choices?: readonly string[];
}

export interface CommandInfo {
  readonly name: string;
  /** The scope that the key in `DOWSER_KEY` needs, if there is one. `none`: the command does not use the registry. */
  readonly right: 'none' | 'read' | 'write' | 'admin' | 'call:read';
  /** Other names of the command. */
  readonly aliases?: readonly string[];
  /** As a user types them: `<query...>`. */
  readonly args: readonly string[];
  /** Every value that the first argument takes, for shell completion. */
  readonly choices?: readonly string[];
  readonly summary: string;
  /** Paragraphs that explain the arguments. */
  readonly notes?: readonly string[];
  readonly options: readonly OptionInfo[];
  readonly examples: readonly string[];
}

export const TYPE_NOTE = `The types are ${ENTITY_TYPES.slice(0, -1).join(', ')} and ${ENTITY_TYPES.at(-1)}.`;
export const ENTITY_NOTE =
  'Name the entity as type:path, as `add` and `list` print it, by its path alone, or as type and path in two words.';

export const DATA: OptionInfo = {
  flags: '--data <dir>',
  summary: 'the data folder (default: the platform’s own; see `dowser doctor`)',
};
export const JSON_OUT: OptionInfo = { flags: '--json', summary: 'print JSON instead of text' };
export const LEXICAL: OptionInfo = { flags: '--lexical', summary: 'do not compute vectors now' };
export const PRESET: OptionInfo = {
  flags: '--preset <name>',
  summary: 'the ranking to use, such as keyword or vector (default: hybrid)',
  choices: PRESET_NAMES,
};
export const TYPE: OptionInfo = {
  flags: '--type <type>',
  summary: 'only this entity type, or several with commas; may be repeated',
  repeat: true,
  choices: ENTITY_TYPES,
};
export const LIMIT: OptionInfo = { flags: '--limit <n>', summary: 'how many (default: 50)' };
export const LOG_LEVEL: OptionInfo = {
  flags: '--log-level <level>',
  summary: 'trace, debug, info, warn, error, fatal or silent (default: warn)',
  choices: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
};
export const CALL: OptionInfo = {
  flags: '--call <class>',
  summary: 'highest class of tools to call: off (default), read, write or destructive',
  choices: ['off', 'read', 'write', 'destructive'],
};
export const TAG: OptionInfo = { flags: '--tag <tag>', summary: 'only with this tag; may be repeated', repeat: true };
export const TIMEOUT: OptionInfo = {
  flags: '--timeout <seconds>',
  summary: 'how long to wait for a server (default: 10, longer while it makes progress)',
};
