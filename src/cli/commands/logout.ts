import { DowserError } from '../../model/errors/errors.ts';
import { parseAddress } from '../../sources/fetch/bounded-fetch.ts';
import { SignInFile, signInKey } from '../../sources/mcp/sign-in/sign-in-file.ts';
import { type CommandModule, type CommandRun, print, settingsFor } from '../context/context.ts';

async function run(run: CommandRun): Promise<number> {
  const { url } = parseAddress(run.args[0] ?? '');
  const key = signInKey(url.href);
  if (!new SignInFile(settingsFor(run).settings.data_dir).delete(url.href)) {
    throw new DowserError('NOT_FOUND', `You are not signed in at ${key}.`, {
      hint: 'List the servers with `dowser login`.',
    });
  }
  print(run, { url: key, signed_in: false }, () => `Signed out at ${key}: its tokens are deleted here.\n`);
  return 0;
}

export const command: CommandModule = { run };
