import type { CommandModule } from '../../src/cli/context.ts';
import { parseArguments } from '../../src/cli/run.ts';
import { toTerminal } from '../../src/cli/terminal/terminal.ts';

/** Runs a command in this process, without a model; gives all that it says, on either stream. */
export async function runCommand(command: CommandModule, argv: readonly string[]): Promise<string> {
  const { name, args, options } = parseArguments(argv);
  const said: string[] = [];
  const terminal = toTerminal({ isTTY: false, write: (text: string) => said.push(text) }, {});
  const env = { EMBEDDINGS_PROVIDER: 'off' };
  const { signal } = new AbortController();
  await command.run({ name, out: terminal, err: terminal, env, signal, args, options });
  return said.join('');
}
