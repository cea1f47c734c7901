// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of this shape are what is tested.
import { describe, expect, it } from 'vitest';
import { fillIn, publicArguments, publicUrl, secretValue, shownArgument, variableFor } from './secret-references.ts';

describe('publicUrl', () => {
  it.each([
    ['https://example.com/mcp?limit=5', 'https://example.com/mcp?limit=5', []],
    ['https://example.com/mcp?api_key=abc123&x=1', 'https://example.com/mcp?api_key=${API_KEY}&x=1', ['abc123']],
    ['https://u:p%40ss@example.com/', 'https://${URL_USER}:${URL_PASSWORD}@example.com/', ['u', 'p%40ss', 'p@ss']],
    ['https://example.com/?token=${MINE}', 'https://example.com/?token=${MINE}', []],
    ['https://example.com/#access_token=xyz', 'https://example.com/#access_token=${ACCESS_TOKEN}', ['xyz']],
    ['https://example.com/?q=ghp_abcdefgh12345', 'https://example.com/?q=${Q}', ['ghp_abcdefgh12345']],
    ['postgres://admin:geheim@db/x', 'postgres://${URL_USER}:${URL_PASSWORD}@db/x', ['admin', 'geheim']],
    ['/home/me/files', '/home/me/files', []],
    ['mongodb://u:pa/ss0@h/x', 'mongodb://${URL_USER}:${URL_PASSWORD}@h/x', ['u', 'pa/ss0']],
    ['mongodb+srv://u:pa#s?s@w/0@h/x', 'mongodb+srv://${URL_USER}:${URL_PASSWORD}@h/x', ['u', 'pa#s?s@w/0']],
    ['mongodb://${U}:hu/sh@h', 'mongodb://${URL_USER}:${URL_PASSWORD}@h', ['${U}', 'hu/sh']],
    ['mongodb://u:${env:P}@h/x?appName=a@b', 'mongodb://u:${env:P}@h/x?appName=a@b', []],
    ['mongodb://u:hush@h/${X}@y', 'mongodb://${URL_USER}:${URL_PASSWORD}@y', ['u', 'hush@h/${X}']],
  ])('of %s', (url, text, secrets) => {
    const shown = publicUrl(url);
    expect([shown.text, shown.secrets.map(({ value }) => value)]).toEqual([text, secrets]);
  });
});

describe('a secret that is named like one', () => {
  const named = ({ secrets }: { secrets: readonly { value: string; isNamed: boolean }[] }) =>
    secrets.flatMap(({ value, isNamed }) => (isNamed ? [value] : []));

  it.each([
    ['https://me:geheim@example.com/', ['geheim']],
    ['https://geheim@example.com/', ['geheim']],
    ['https://example.com/?token=geheim', ['geheim']],
  ])('is one in %s', (url, secrets) => expect(named(publicUrl(url))).toEqual(secrets));

  it('is one as a flag, a variable or a header, and a value of another name is not', async () => {
    expect(
      named(
        publicArguments([
          '--password',
          'one',
          '-k',
          'two',
          '-e',
          'API_KEY=three',
          '-e',
          'STAGE=live',
          '-e',
          'AUTH=true',
        ]),
      ),
    ).toEqual(['one', 'two', 'three']);
    const values: string[] = [];
    const env = { API_KEY: 'geheim', STAGE: 'live' };
    await fillIn('${API_KEY} ${STAGE}', {
      env,
      subject: 'It',
      onValue: (secret) => values.push(...named({ secrets: [secret] })),
    });
    expect(values).toEqual(['geheim']);
  });
});

describe('shownArgument', () => {
  it.each([
    ['https://me:geheim99@example.com/mcp'],
    ['https:/me:geheim99@example.com/mcp'],
    ['me:geheim99@example.com'],
    ['Authorization: Bearer geheim99'],
    ['--token=geheim99'],
    ['ghp_geheim99abcdefgh'],
  ])('hides the secret of %s', (arg) => {
    expect(shownArgument(arg)).not.toContain('geheim99');
  });

  it.each(['./folder/file.json', 'C:\\data', 'https://example.com/mcp', 'npm:@scope/name'])('shows %s', (arg) => {
    expect(shownArgument(arg)).toBe(arg);
  });
});

describe('publicArguments', () => {
  it.each([
    [
      ['-y', 'some-server', '/data'],
      ['-y', 'some-server', '/data'],
    ],
    [
      ['--api-key', 'k1'],
      ['--api-key', '${API_KEY}'],
    ],
    [
      ['--api-key', '--verbose'],
      ['--api-key', '--verbose'],
    ],
    [['--token=t1'], ['--token=${TOKEN}']],
    [
      ['run', '-e', 'REGION=eu', 'image'],
      ['run', '-e', 'REGION=${REGION}', 'image'],
    ],
    [
      ['--header', 'Authorization: Bearer b1'],
      ['--header', 'Authorization: Bearer ${AUTHORIZATION}'],
    ],
    [['sk-abcdefgh1234'], ['${SECRET}']],
    [
      ['-k', 'abc', '-H', 'Authorization: Basic eHl6'],
      ['-k', '${KEY}', '-H', 'Authorization: Basic ${AUTHORIZATION}'],
    ],
    [
      ['-k=abc', '-t', 'a1b2c3d4e5f6', '-p', 'Zz11Yy22Xx33Ww', '-s', '0f1e2d3c4b5a6978'],
      ['-k=${KEY}', '-t', '${TOKEN}', '-p', '${PASSWORD}', '-s', '${SECRET}'],
    ],
    [['-pa1b2c3d4e5f6'], ['-p${PASSWORD}']],
    [
      ['-u', 'me:geheim', '-u', '1000:1000'],
      ['-u', 'me:${PASSWORD}', '-u', '1000:1000'],
    ],
    [
      ['-k', '--verbose', '-k', '5', '-k', '/etc/key.pem', '-p', '8080:80', '-p', 'some-package-v2', '-t', 'stdio'],
      ['-k', '--verbose', '-k', '5', '-k', '/etc/key.pem', '-p', '8080:80', '-p', 'some-package-v2', '-t', 'stdio'],
    ],
    [
      ['-k', '${MINE}', '-k', 'https://u:p@h/'],
      ['-k', '${MINE}', '-k', 'https://${URL_USER}:${URL_PASSWORD}@h/'],
    ],
    [['--database-url=postgres://bob:pw@h/db'], ['--database-url=postgres://${URL_USER}:${URL_PASSWORD}@h/db']],
    [['DATABASE_URL=postgres://bob:pw@h/db'], ['DATABASE_URL=postgres://${URL_USER}:${URL_PASSWORD}@h/db']],
    [['--dsn=jdbc:mysql://bob:pw@h/db'], ['--dsn=jdbc:mysql://${URL_USER}:${URL_PASSWORD}@h/db']],
    [
      ['-H', 'Authorization:Bearer abc', '--header', 'X-Api-Key:abc'],
      ['-H', 'Authorization:Bearer ${AUTHORIZATION}', '--header', 'X-Api-Key:${X_API_KEY}'],
    ],
    [['--header=X-Api-Key: abc'], ['--header=X-Api-Key: ${X_API_KEY}']],
    [['--env=REGION=eu'], ['--env=REGION=${REGION}']],
    [
      ['--pass', 'p1', '--passphrase', 'p2', '--db-pass=p3', 'SMTP_PASS=p4'],
      ['--pass', '${PASS}', '--passphrase', '${PASSPHRASE}', '--db-pass=${DB_PASS}', 'SMTP_PASS=${SMTP_PASS}'],
    ],
    [
      ['--bypass', 'cache', '--compass=north'],
      ['--bypass', 'cache', '--compass=north'],
    ],
    [
      ['run', '-eREGION=eu', '-ekey=k1', '-epassword=k2', '-e=REGION=us', 'image'],
      ['run', '-eREGION=${REGION}', '-ekey=${KEY}', '-epassword=${PASSWORD}', '-e=REGION=${REGION}', 'image'],
    ],
    [
      ['-ext=json', '-eREGION=${MINE}', '-encoding=utf8'],
      ['-ext=json', '-eREGION=${MINE}', '-encoding=utf8'],
    ],
    [['--model=sk-abcdefgh1234'], ['--model=${MODEL}']],
    [
      ['-H', 'localhost:8080', '--mode=fast', 'secret://vault/item'],
      ['-H', 'localhost:8080', '--mode=fast', 'secret://vault/item'],
    ],
    [
      ['--auth-mode', 'oauth'],
      ['--auth-mode', 'oauth'],
    ],
    [['https://x.example/?sig=s1'], ['https://x.example/?sig=${SIG}']],
    [
      ['--key', '${MY_KEY}'],
      ['--key', '${MY_KEY}'],
    ],
  ])('of %j', (args, shown) => {
    expect(publicArguments(args).args).toEqual(shown);
  });
});

describe('secretValue', () => {
  it('keeps the scheme and a reference, and nothing else', () => {
    expect(secretValue('Authorization', 'Bearer abc')).toEqual({
      text: 'Bearer ${AUTHORIZATION}',
      secrets: [{ value: 'abc', isNamed: true }],
    });
    expect(secretValue('X-Key', '${MINE}')).toEqual({ text: '${MINE}', secrets: [] });
    expect(secretValue('EMPTY', '')).toEqual({ text: '${EMPTY}', secrets: [{ value: '', isNamed: false }] });
  });

  it('gives what was given when it is filled in again', async () => {
    const { text } = secretValue('x-api.key', 'Token q r');
    expect(await fillIn(text, { env: { [variableFor('x-api.key')]: 'q r' }, subject: 'It' })).toBe('Token q r');
  });
});

describe('fillIn', () => {
  const fill = (template: string) =>
    fillIn(template, { env: { A: 'a', GITHUB_TOKEN: 'g' }, known: { workspaceFolder: '/w' }, subject: 'It' });

  it.each([
    ['${A}', 'a'],
    ['${env:A}/${workspaceFolder}', 'a//w'],
    ['${B:-b}', 'b'],
    ['${input:github-token}', 'g'],
    ['$A', '$A'],
  ])('%s', async (template, text) => expect(await fill(template)).toBe(text));

  it('takes an entry of the keychain as a secret, whatever its name', async () => {
    const secrets: unknown[] = [];
    const keychain = async (name: string) => `<${name}>`;
    const options = { env: {}, keychain, subject: 'It', onValue: (secret: unknown) => secrets.push(secret) };
    expect(await fillIn('Bearer ${keychain:acme} ${keychain:b.c-d}', options)).toBe('Bearer <acme> <b.c-d>');
    expect(secrets[0]).toEqual({ value: '<acme>', isNamed: true });
  });

  it('refuses a reference to the keychain where none is read', async () => {
    await expect(fill('${keychain:acme}')).rejects.toMatchObject({ code: 'INVALID_SETTING', field: 'acme' });
  });

  it('names the variable that is not set', async () => {
    await expect(fill('x${MISSING}')).rejects.toMatchObject({ code: 'INVALID_SETTING', field: 'MISSING' });
  });
});
