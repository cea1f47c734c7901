import type { CommandModule } from '../../src/cli/context/context.ts';
import { parseArguments } from '../../src/cli/run.ts';
import { toTerminal } from '../../src/cli/terminal/terminal.ts';

export interface CommandWorld {
  /** Besides the provider `off`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gets what the command says, also if it fails. */
  readonly said?: string[];
}

/** Runs a command in this process, without a model; gives all that it says, on either stream. */
export async function runCommand(
  command: CommandModule,
  argv: readonly string[],
  { env: given = {}, said = [] }: CommandWorld = {},
): Promise<string> {
  const { name, args, options } = parseArguments(argv);
  const terminal = toTerminal({ isTTY: false, write: (text: string) => said.push(text) }, {});
  const env = { EMBEDDINGS_PROVIDER: 'off', ...given };
  const { signal } = new AbortController();
  await command.run({ name, out: terminal, err: terminal, env, signal, args, options });
  return said.join('');
}
