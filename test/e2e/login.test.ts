import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AccessServer, accessServer } from '../support/access-server.ts';
import { browse } from '../support/browse.ts';
import { type Issuer, startIssuer } from '../support/issuer.ts';
import { Sandbox } from './cli-process.ts';

let issuer: Issuer;
let server: AccessServer;
let sandbox: Sandbox;
let address: string;
beforeAll(async () => {
  issuer = await startIssuer();
  // The address of a server is the audience of its tokens, so a first one finds a free port.
  const first = await accessServer();
  const { port } = new URL(first.url);
  await first.close();
  address = `http://127.0.0.1:${port}/mcp`;
  server = await accessServer({ port: Number(port), oidc_issuer: issuer.url, oidc_audience: [address] });
});
afterAll(async () => {
  await server.close();
  await issuer.close();
});
beforeEach(async () => {
  sandbox = await Sandbox.open();
});
afterEach(() => sandbox.close());

const signInFile = () => join(sandbox.data, 'sign-ins.json');
const stored = async () => JSON.parse(await readFile(signInFile(), 'utf8'));

/** Signs in as a person would: opens the printed address, and lets the browser come back. */
async function login() {
  const { output, ended } = sandbox.start(['login', address, '--no-browser']);
  await expect.poll(() => output.stderr).toContain('/auth?');
  const asked = new URL(/^http\S+$/m.exec(output.stderr)![0]);
  const callback = await browse(asked, asked.searchParams.get('redirect_uri')!);
  const page = await fetch(callback);
  expect(await page.text()).toContain('You may close this page');
  return { code: await ended, ...output };
}

async function changeTokens(change: Record<string, unknown>): Promise<void> {
  const all = await stored();
  Object.assign(all[address].tokens, change);
  await writeFile(signInFile(), JSON.stringify(all));
}

describe('a remote server with a sign-in', { timeout: 60_000 }, () => {
  it('is added after `dowser login`, and its tokens are in one private file', async () => {
    const refused = await sandbox.run(['add', address]);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(`Sign in with \`dowser login ${address}\``);

    const signedIn = await login();
    expect(signedIn).toMatchObject({
      code: 0,
      stdout: `Signed in at ${address}. Add it with \`dowser add ${address}\`.\n`,
    });
    expect((await stat(signInFile())).mode & 0o777).toBe(0o600);
    const { tokens } = (await stored())[address];

    const added = await sandbox.run(['add', address]);
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('added  mcp_server:/dowser') });
    for (const name of await readdir(sandbox.data)) {
      const text = name === 'sign-ins.json' ? '' : await readFile(join(sandbox.data, name), 'latin1');
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        expect(token).toMatch(/^.{20,}$/);
        expect(text.includes(token), name).toBe(false);
        expect(added.stdout + added.stderr + signedIn.stdout).not.toContain(token);
      }
    }
  });

  it('is read again with a new token, and is not dead once that is refused too', async () => {
    await login();
    await sandbox.run(['add', address]);
    await changeTokens({ access_token: 'no-longer-valid' });
    const [again] = JSON.parse((await sandbox.run(['refresh', '--json'])).stdout).sources;
    expect([again.state, again.problems]).toEqual(['unchanged', []]);
    expect((await stored())[address].tokens.access_token).not.toBe('no-longer-valid');

    await changeTokens({ access_token: 'no-longer-valid', refresh_token: 'neither-is-this' });
    const [lost] = JSON.parse((await sandbox.run(['refresh', '--json'])).stdout).sources;
    expect(lost.problems).toMatchObject([{ code: 'FORBIDDEN', hint: expect.stringContaining('dowser login') }]);
    expect(lost.results).toEqual([]);
    expect((await sandbox.run(['login'])).stdout).toContain('signed out by the server');
  });

  it('is forgotten by `dowser logout`', async () => {
    await login();
    expect((await sandbox.run(['login'])).stdout).toBe(`${address}  signed in\n`);
    expect((await sandbox.run(['logout', `${address}/`])).stdout).toContain(`Signed out at ${address}`);
    expect(await stored()).toEqual({});
    expect((await sandbox.run(['logout', address])).stderr).toContain('not signed in');
    expect((await sandbox.run(['add', address])).code).not.toBe(0);
  });
});
