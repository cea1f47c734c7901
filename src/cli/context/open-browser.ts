import { spawn } from 'node:child_process';

/** How each platform opens an address. No shell, so that no character of it has a meaning. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the browser, if there is one. The caller also prints it. */
export function openBrowser(address: URL): void {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, address.href], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
