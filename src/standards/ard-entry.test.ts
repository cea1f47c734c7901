import { describe, expect, it } from 'vitest';
import { parseEntity } from '../model/entity.ts';
import type { Discoverable } from './air-identifier.ts';
import { toArdEntry } from './ard-entry.ts';

const DOMAIN = 'tools.example.com';

const record = (input: Record<string, unknown>) => ({
  entity: parseEntity(input).entity as Discoverable,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-03-01T00:00:00.000Z',
});
const clock = {
  type: 'mcp_server',
  path: '/clock',
  name: 'World Clock',
  tags: ['Time', 'zones'],
  version: '2.0.0',
  tools: [
    { name: 'now', examples: ['what time is it'] },
    { name: 'convert', examples: ['9 am in Tokyo', ' '] },
  ],
};

describe('toArdEntry', () => {
  const place = { domain: DOMAIN, ardUrl: `https://${DOMAIN}/ard` };

  it('carries queries only where a publisher wrote at least two', () => {
    expect(toArdEntry(record(clock), place).representativeQueries).toEqual(['what time is it', '9 am in Tokyo']);
    const imported = { ...clock, metadata: { representative_queries: ['tell me the hour', 7] } };
    expect(toArdEntry(record(imported), place).representativeQueries?.[0]).toBe('tell me the hour');
    const one = { ...clock, tools: [{ name: 'now', examples: ['what time is it'] }] };
    expect(toArdEntry(record(one), place)).not.toHaveProperty('representativeQueries');
  });

  it('points to the publisher’s own document where there is one', () => {
    const skill = { type: 'skill', path: '/pack', name: 'pack', skill_md_url: 'https://a.example/SKILL.md' };
    expect(toArdEntry(record(skill), place).url).toBe('https://a.example/SKILL.md');
    expect(toArdEntry(record({ ...skill, skill_md_url: 'file:///etc/passwd' }), place).url).toBe(
      `https://${DOMAIN}/ard/artifacts/urn%3Aair%3A${DOMAIN}%3Askill%3Apack`,
    );
  });
});
