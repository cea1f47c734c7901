import { describe, expect, it } from 'vitest';
import { DowserError } from '../errors/errors.ts';
import { parseProjection, project } from './projection.ts';

describe('metadata_fields', () => {
  it('MD-1: lets an ancestor stand for what is below it', () => {
    expect(parseProjection('config,config.region')).toEqual([['config']]);
    expect(parseProjection('config.region, config')).toEqual([['config']]);
  });

  it('MD-1: returns what is there and leaves out what is not', () => {
    const metadata = { team: 'x', config: { region: 'eu', size: 2 }, list: [1] };
    expect(project(metadata, parseProjection('team,config.region,nope.deep')!)).toEqual({
      team: 'x',
      config: { region: 'eu' },
    });
    expect(project(metadata, parseProjection('nope')!)).toEqual({});
  });

  it.each([
    Array.from({ length: 21 }, (_, i) => `k${i}`).join(','),
    'a.b.c.d.e.f',
    'x'.repeat(65),
    '$where',
    'a..b',
    'a b',
  ])('MD-1: rejects %j with its field named', (fields) => {
    const attempt = () => parseProjection(fields);
    expect(attempt).toThrow(DowserError);
    expect(attempt).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', field: 'metadata_fields' }));
  });

  it('does not climb into the prototype of an object', () => {
    expect(project({ a: {} }, [['a', 'constructor'], ['__proto__']])).toEqual({});
  });

  it('means no metadata when it is blank', () => {
    expect(parseProjection(null)).toBeNull();
    expect(parseProjection('  ')).toBeNull();
  });
});
