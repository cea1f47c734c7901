import { describe, expect, it } from 'vitest';
import type { KnownSource } from '../../registry/contract/observation.ts';
import { changesSince } from './reading-plan.ts';

const now = new Date('2026-03-02T12:00:00Z');
const source = (reading: Partial<NonNullable<KnownSource['reading']>> | null, kind = 'registry'): KnownSource => ({
  kind,
  locator: {},
  // Far in the future, as a wrong clock of the other side would have it.
  updated_at: '2099-01-01T00:00:00Z',
  reading:
    reading === null
      ? null
      : { started_at: '2026-03-02T11:00:00.000Z', full_at: '2026-03-02T00:00:00Z', partial: 3, ...reading },
  entities: [],
});

describe('changesSince', () => {
  it('is a minute before the last complete reading began, whatever the source stamps', () => {
    expect(changesSince(source({}), now)).toBe('2026-03-02T10:59:00.000Z');
  });

  it.each([
    ['nothing was read to its end', source(null)],
    ['nine readings were only of changes', source({ partial: 9 })],
    ['a day has passed', source({ full_at: '2026-03-01T12:00:00Z' })],
    ['the clock was set back', source({ full_at: '2026-03-02T12:00:01Z' })],
    ['the kind knows no changes', source({}, 'ard')],
  ])('is open when %s', (_, known) => expect(changesSince(known, now)).toBeUndefined());
});
