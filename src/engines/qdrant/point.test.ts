import { expect, it } from 'vitest';
import { payloadOf, pointId } from './point.ts';

const unit = {
  row: 3,
  id: 'mcp_server:/s#tool:a',
  entity: 'mcp_server:/s',
  type: 'mcp_server',
  kind: 'tool',
  title: 'a',
  textHash: 'h1',
} as never;
const facts = { enabled: true, status: 'active', tags: ['a'], readers: ['public'] } as never;

it('names a point after its unit, always the same, and never two alike', () => {
  expect(pointId('tool:/a#card')).toMatch(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(pointId('tool:/a#card')).toBe('d3359680-b7ce-52e8-81c6-c151e3b417fb');
  expect(new Set(['\ud800', '\ud801', '\ufffd'].map(pointId)).size).toBe(3);
});

it('has everything that filters ask for', () => {
  expect(payloadOf(unit, facts)).toEqual({
    unit: 'mcp_server:/s#tool:a',
    what: 'mcp_server/tool',
    live: true,
    status: 'active',
    tags: ['a'],
    readers: ['public'],
    digest: expect.any(Number),
  });
});

it('has another digest for another text and for other facts', () => {
  const digests = [
    payloadOf(unit, facts),
    payloadOf({ ...(unit as object), textHash: 'h2' } as never, facts),
    ...[{ enabled: false }, { status: 'draft' }, { tags: [] }, { readers: [] }].map((other) =>
      payloadOf(unit, { ...(facts as object), ...other } as never),
    ),
  ].map(({ digest }) => digest);
  expect(new Set(digests).size).toBe(6);
  expect(payloadOf({ ...(unit as object), row: 9 } as never, facts).digest).toBe(digests[0]);
});
