import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, wordMemories } from '../../../test/support/word-memories.ts';
import { type AuditedMemory, auditMemories } from './audit.ts';
import { overlap } from './near-duplicates.ts';
import { secretsIn } from './secret-patterns.ts';
import { similarPairs } from './similar-pairs.ts';

const memory = (name: string, content: string, more: Partial<AuditedMemory> = {}): AuditedMemory => ({
  name,
  content,
  namespace: null,
  createdAt: null,
  isSuperseded: false,
  firstRecall: undefined,
  ...more,
});

describe('an audit', () => {
  it('reports duplicates, contradictions, loops and secrets, with a plan', async () => {
    const report = await auditMemories([
      memory('a', 'The staging server listens on port 8080', { createdAt: 1 }),
      memory('b', 'The staging server listens on port 9090', { createdAt: 2 }),
      memory('c', 'Lena likes tea with milk in the morning', { createdAt: 1, firstRecall: 5 }),
      memory('d', 'Lena likes tea with milk in the early morning', { createdAt: 6, firstRecall: null }),
      memory('e', 'Same words', { createdAt: 1 }),
      memory('f', ' same WORDS', { createdAt: 2 }),
      memory('g', 'The key is AKIAABCDEFGHIJKLMNOP', { createdAt: 1 }),
      memory('h', 'The staging server listens on port 7070', { createdAt: 0, isSuperseded: true }),
    ]);
    expect(report).toMatchObject({
      total: 8,
      superseded: 1,
      exact_duplicates: [{ names: ['e', 'f'] }],
      contradictions: [{ a: 'a', b: 'b', differs: ['8080', '9090'] }],
      near_duplicates: [{ a: 'c', b: 'd' }],
      recall_loops: [{ a: 'c', b: 'd' }],
      secrets: [{ name: 'g', kinds: ['AWS access key'] }],
      never_recalled: null,
    });
    expect(report.plan.map(({ action, name, by }) => `${action} ${name} ${by}`)).toEqual([
      'forget g null',
      'forget f e',
      'forget d c',
      'supersede a b',
    ]);
  });

  it('compares within a namespace only, and names a memory of one by its path', async () => {
    const memories = await wordMemories();
    const content = 'The staging server listens on port 8080';
    await memories.store({ content });
    const { memory: first } = await memories.store({ content, namespace: 'ops' });
    memories.pass(DAY_MS);
    const { memory: second } = await memories.store({
      content: 'The staging server listens on port 9090',
      namespace: 'ops',
    });
    const report = await memories.audit();
    expect(report.exact_duplicates).toEqual([]);
    expect(report.plan.map(({ action, name, by }) => [action, name, by])).toEqual([
      ['supersede', first.path, second.path],
    ]);
    await memories.supersede(report.plan[0]!.name, { by: report.plan[0]!.by! });
    expect((await memories.audit()).plan).toEqual([]);
    await memories.registry.close();
  });

  it('of a store counts what was never recalled', async () => {
    const memories = await wordMemories();
    await memories.store({ content: 'the red boat' });
    await memories.store({ content: 'a quiet hill' });
    memories.pass(DAY_MS);
    await memories.search({ query: 'red', mode: 'exact' });
    expect((await memories.audit()).never_recalled).toEqual({ count: 1, share: 0.5 });
    await memories.registry.close();
  });
});

it.each([
  ['-----BEGIN RSA PRIVATE KEY-----', 'private key'],
  [`token ghp_${'a1'.repeat(18)}`, 'GitHub token'],
  ['postgres://admin:hunter2@db/x', 'password in a URL'],
  ['The password is s3cret!x', 'password'],
])('%j is a %s', (text, kind) => {
  expect(secretsIn(text)).toEqual([kind]);
});

it.each(['The password is long', 'Reset your password: see the wiki', 'https://example.com/a:b'])(
  '%j is no secret',
  (text) => {
    expect(secretsIn(text)).toEqual([]);
  },
);

it.each(['a.', 'password:', '-eyJ', 'sk-', 'a://', 'token is ', '-----BEGIN '])(
  'reads a long text of %j in a time that grows with its length only',
  (part) => {
    expect(secretsIn(part.repeat(400_000 / part.length))).toEqual(expect.any(Array));
  },
);

it('lets others go on while it compares', async () => {
  const sets = Array.from({ length: 2000 }, (_, n) => new Set([`word${n}`]));
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  });
  await similarPairs(sets, 0.6);
  clearInterval(counting);
  expect(turns).toBeGreaterThan(0);
});

it('finds the pairs that comparing all of them finds, but for one in a hundred', async () => {
  const word = fc.constantFrom(...'abcdefgh');
  const words = fc.array(word, { minLength: 3, maxLength: 8 }).map((list) => new Set(list));
  let [all, found] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(words, { minLength: 20, maxLength: 30 }), async (sets) => {
      const keys = (await similarPairs(sets, 0.6)).map(({ a, b }) => `${a} ${b}`);
      sets.forEach((one, a) => {
        sets.slice(a + 1).forEach((other, k) => {
          if (overlap(one, other) < 0.6) return;
          all += 1;
          if (keys.includes(`${a} ${a + 1 + k}`)) found += 1;
        });
      });
    }),
    { seed: 7 },
  );
  expect(all).toBeGreaterThan(100);
  expect(found / all).toBeGreaterThan(0.97);
});
