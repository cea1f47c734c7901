import { describe, expect, it } from 'vitest';
import { ardRecord, CLOCK } from '../../../test/support/ard-record.ts';
import { toArdEntry } from './ard-entry.ts';

const DOMAIN = 'tools.example.com';

describe('toArdEntry', () => {
  const place = { domain: DOMAIN, ardUrl: `https://${DOMAIN}/ard` };

  it('has queries only if the publisher wrote at least two', () => {
    expect(toArdEntry(ardRecord(CLOCK), place).representativeQueries).toEqual(['what time is it', '9 am in Tokyo']);
    const imported = { ...CLOCK, metadata: { representative_queries: ['tell me the hour', 7] } };
    expect(toArdEntry(ardRecord(imported), place).representativeQueries?.[0]).toBe('tell me the hour');
    const one = { ...CLOCK, tools: [{ name: 'now', examples: ['what time is it'] }] };
    expect(toArdEntry(ardRecord(one), place)).not.toHaveProperty('representativeQueries');
  });

  it('points to the publisher’s own document if there is one', () => {
    const skill = { type: 'skill', path: '/pack', name: 'pack', skill_md_url: 'https://a.example/SKILL.md' };
    expect(toArdEntry(ardRecord(skill), place).url).toBe('https://a.example/SKILL.md');
    expect(toArdEntry(ardRecord({ ...skill, skill_md_url: 'file:///etc/passwd' }), place).url).toBe(
      `https://${DOMAIN}/ard/artifacts/urn%3Aair%3A${DOMAIN}%3Askill%3Apack`,
    );
  });
});
