import { describe, expect, it } from 'vitest';
import { canonicalJson, definitionsOf } from '../../model/definitions.ts';
import { compareDefinitions, digestOf } from './drift.ts';

const SINCE = '2026-01-01T00:00:00.000Z';
const server = (...tools: unknown[]) => definitionsOf({ type: 'mcp_server', tools });
const compare = (before: ReturnType<typeof server>, after: ReturnType<typeof server>) =>
  compareDefinitions(before, after, SINCE);

describe('canonicalJson', () => {
  it('is the same for values that say the same', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: undefined })).toBe('{"b":[1,{"c":"x","d":null}]}');
    expect(digestOf({ a: 1, b: 2 })).toBe(digestOf({ b: 2, a: 1 }));
    expect(digestOf({ a: 1 })).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});

describe('compareDefinitions', () => {
  it('finds nothing where only the order differs', () => {
    const a = { name: 'a', inputSchema: { type: 'object', properties: {} } };
    const b = { name: 'b', description: 'B' };
    expect(compare(server(a, b), server(b, { inputSchema: { properties: {}, type: 'object' }, name: 'a' }))).toBeNull();
  });

  it('names what came, what went and what changed, in order', () => {
    const drift = compare(
      server({ name: 'z' }, { name: 'y', description: 'Old' }),
      server({ name: 'y', description: 'New' }, { name: 'b' }, { name: 'a' }),
    );
    expect(drift).toEqual({
      since: SINCE,
      added: ['a', 'b'],
      removed: ['z'],
      changed: [
        {
          name: 'y',
          digest: {
            before: digestOf({ name: 'y', description: 'Old' }),
            after: digestOf({ name: 'y', description: 'New' }),
          },
          changes: [{ at: 'description', before: 'Old', after: 'New' }],
        },
      ],
    });
  });

  it.each([
    ['a description', { description: 'x' }, { description: 'y' }, 'description'],
    [
      'a parameter',
      { inputSchema: { properties: { p: { type: 'string' } } } },
      { inputSchema: { properties: { p: { type: 'number' } } } },
      'inputSchema.properties.p.type',
    ],
    [
      'an annotation',
      { annotations: { readOnlyHint: true } },
      { annotations: { readOnlyHint: false } },
      'annotations.readOnlyHint',
    ],
    ['the output', { outputSchema: { type: 'object' } }, {}, 'outputSchema'],
    ['the title', {}, { title: 'T' }, 'title'],
  ])('sees a change of %s', (_, before, after, at) => {
    const drift = compare(server({ name: 't', ...before }), server({ name: 't', ...after }));
    expect(drift?.changed[0]?.changes.map((change) => change.at)).toEqual([at]);
  });

  it('shows long texts around the place where they part', () => {
    const start = 'x'.repeat(500);
    const drift = compare(
      server({ name: 't', description: `${start} old` }),
      server({ name: 't', description: `${start} new, and then some more ${'y'.repeat(200)}` }),
    );
    const [change] = drift!.changed[0]!.changes;
    expect(change!.before).toBe(`…${'x'.repeat(19)} old`);
    expect(change!.after.length).toBeLessThan(90);
    expect(change!.after).toContain('new, and then');
  });

  it('tells two tools of one name apart', () => {
    const twice = server({ name: 't', description: 'one' }, { name: 't', description: 'two' });
    expect(Object.keys(twice)).toEqual(['t', 't~2']);
    expect(compare(twice, server({ name: 't', description: 'one' }))?.removed).toEqual(['t~2']);
  });

  it('survives names that objects have by themselves', () => {
    const odd = server({ name: 'constructor' }, { name: '__proto__', description: 'x' });
    expect(compare(server(), odd)?.added).toEqual(['__proto__', 'constructor']);
  });
});

describe('definitionsOf', () => {
  it('takes the skills of an agent and the text of a skill', () => {
    expect(Object.keys(definitionsOf({ type: 'a2a_agent', skills: [{ id: 's', name: 'S' }] }))).toEqual(['S']);
    expect(definitionsOf({ type: 'skill', name: 'k', description: 'd', body: 'b' })).toMatchObject({
      k: { body: 'b' },
    });
    expect(definitionsOf({ type: 'package', name: 'p' })).toEqual({});
  });
});
