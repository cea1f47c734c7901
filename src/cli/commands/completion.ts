import { COMMANDS, type CommandInfo, type OptionInfo } from '../command-tables/command-table.ts';
import { type CommandModule, type CommandRun, runNamed } from '../context/context.ts';

const TABLE: readonly CommandInfo[] = COMMANDS;
/** Names and aliases: `delete|remove`. */
const namesOf = ({ name, aliases = [] }: CommandInfo): readonly string[] => [name, ...aliases];
/** `--limit <n>` -> `--limit` */
const flagOf = ({ flags }: OptionInfo): string => flags.split(' ')[0]!;
const takesValue = ({ flags }: OptionInfo): boolean => flags.includes('<');

/** Offers options after a dash, otherwise the values of the argument. Without either, the shell completes file names. */
function bash(): string {
  const values = TABLE.flatMap((command) =>
    command.options.filter(takesValue).map((option) => {
      const places = namesOf(command).map((name) => `'${name} ${flagOf(option)}'`);
      return `    ${places.join('|')}) words='${(option.choices ?? []).join(' ')}' ;;`;
    }),
  );
  const words = TABLE.map((command) => {
    const flags = [...command.options.map(flagOf), '--help'].join(' ');
    return `      ${namesOf(command).join('|')}) words='${(command.choices ?? []).join(' ')}' flags='${flags}' ;;`;
  });
  return `_dowser() {
  local cur=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} words= flags=
  if [ "$COMP_CWORD" -eq 1 ]; then words='${[...TABLE.flatMap(namesOf), 'help', '--help', '--version'].join(' ')}'
  else case "$command \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
    *) case $command in
${words.join('\n')}
      help) words='${TABLE.map(({ name }) => name).join(' ')}' ;;
    esac
    case $cur in -*) words=$flags ;; esac ;;
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _dowser dowser
`;
}

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

function fish(): string {
  const lines = TABLE.flatMap((command) => {
    const names = namesOf(command).join(' ');
    const here = `complete -c dowser -n '__fish_seen_subcommand_from ${names}'`;
    const offered = command.choices === undefined ? [] : [`${here} -a '${command.choices.join(' ')}'`];
    const options = command.options.map((option) => {
      const values = option.choices === undefined ? '' : ` -x -a '${option.choices.join(' ')}'`;
      const value = takesValue(option) ? values || ' -r' : '';
      return `${here} -l ${flagOf(option).slice(2)}${value} -d ${quoted(option.summary)}`;
    });
    const named = `complete -c dowser -f -n __fish_use_subcommand -a '${names}' -d ${quoted(command.summary)}`;
    return [named, ...offered, ...options, `${here} -l help -d 'show the help'`];
  });
  return `${lines.join('\n')}\n`;
}

/** zsh runs completions that were written for bash. */
const zsh = (): string => `autoload -Uz compinit bashcompinit && compinit && bashcompinit\n${bash()}`;

async function run(run: CommandRun): Promise<number> {
  run.out.write(runNamed(run, 'completion for the shell', { bash, zsh, fish }));
  return 0;
}

export const command: CommandModule = { run };
