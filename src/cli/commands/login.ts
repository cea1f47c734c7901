import { parseAddress } from '../../sources/fetch/bounded-fetch.ts';
import { SignInFile, signInKey } from '../../sources/mcp/sign-in/sign-in-file.ts';
import { type CommandModule, type CommandRun, print, settingsFor, wrongOption } from '../context/context.ts';
import { toNumber } from '../context/filter-options.ts';
import { openBrowser } from '../context/open-browser.ts';
import { sourceContext } from '../sources/source-context.ts';
import { oneLine } from '../terminal/text-width.ts';

/** A person needs time for passwords and second factors. */
const WAIT_MS = 300_000;

function portOf({ options }: CommandRun): { readonly callbackPort?: number } {
  if (options.callbackPort === undefined) return {};
  const port = toNumber(options.callbackPort);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return { callbackPort: port };
  throw wrongOption('callback-port', options.callbackPort, 'a port from 1 to 65535');
}

/** The secret of a client comes from the environment: arguments are visible to other users of the machine. */
function clientOf({ options, env }: CommandRun): {
  readonly client?: { readonly id: string; readonly secret?: string };
} {
  if (typeof options.clientId !== 'string') return {};
  const secret = env.DOWSER_CLIENT_SECRET;
  return { client: { id: options.clientId, ...(secret === undefined ? {} : { secret }) } };
}

async function run(run: CommandRun): Promise<number> {
  const { args, options, err, signal } = run;
  const { settings } = settingsFor(run);
  const [address] = args;
  if (address === undefined) return list(run, settings.data_dir);
  parseAddress(address);
  const { signIn } = await import('../../sources/mcp/sign-in/sign-in.ts');
  const { limits, version } = sourceContext(run, settings);
  const found = await signIn(address, {
    folder: settings.data_dir,
    limits,
    version,
    signal,
    waitMs: WAIT_MS,
    ...clientOf(run),
    ...portOf(run),
    onAddress(url) {
      err.write(`Open this address to sign in:\n${url.href}\n`);
      if (options.browser !== false) openBrowser(url);
    },
  });
  const url = signInKey(address);
  const scope = found?.tokens?.scope ?? null;
  const answer = { url, signed_in: found !== undefined, scope, expires_at: found?.expires_at ?? null };
  print(run, answer, () =>
    found === undefined
      ? `${url} needs no sign-in. Add it with \`dowser add ${url}\`.\n`
      : `Signed in at ${url}. Add it with \`dowser add ${url}\`.\n`,
  );
  return 0;
}

function list(run: CommandRun, folder: string): number {
  const signIns = Object.entries(new SignInFile(folder).all()).map(([url, { tokens, expires_at = null }]) => ({
    url,
    signed_in: tokens !== undefined,
    scope: tokens?.scope ?? null,
    expires_at,
    refreshes: tokens?.refresh_token !== undefined,
  }));
  print(run, { sign_ins: signIns }, () => {
    if (signIns.length === 0) return 'You are not signed in at any server. Sign in with `dowser login <address>`.\n';
    const lines = signIns.map(({ url, signed_in, expires_at, refreshes }) => {
      const shown = oneLine(url);
      if (!signed_in) return `${shown}  signed out by the server`;
      return `${shown}  ${refreshes || expires_at === null ? 'signed in' : `until ${expires_at}`}`;
    });
    return `${lines.join('\n')}\n`;
  });
  return 0;
}

export const command: CommandModule = { run, graceful: true };
