import { homedir } from 'node:os';
import { join } from 'node:path';

/** The data folder of the user on this platform. */
export function platformDataFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'dowser');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'dowser');
  const xdg = env.XDG_DATA_HOME;
  return join(xdg === undefined || xdg === '' ? join(home, '.local', 'share') : xdg, 'dowser');
}
