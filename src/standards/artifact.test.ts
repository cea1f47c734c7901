import { describe, expect, it } from 'vitest';
import { faultsOf } from '../../test/support/standard-schemas.ts';
import { parseEntity } from '../model/entity.ts';
import type { Discoverable } from './ard/ard-types.ts';
import { toArtifact } from './artifact.ts';
import { SERVER_CARD_SCHEMA } from './official/server-card.ts';
import { dowserCard } from './own-entries.ts';

const artifact = (input: Record<string, unknown>) =>
  toArtifact(parseEntity(input).entity as Discoverable, 'local.dowser');

describe('toArtifact', () => {
  it('of a server is its card, without tools', () => {
    const { mediaType, text } = artifact({
      type: 'mcp_server',
      path: '/clock',
      name: 'Clock',
      mcp_endpoint: 'https://clock.example/mcp',
      tools: [{ name: 'now' }],
    });
    expect(mediaType).toBe('application/mcp-server-card+json');
    expect(faultsOf('serverCard', JSON.parse(text))).toEqual([]);
    expect(JSON.parse(text)).toEqual({
      $schema: SERVER_CARD_SCHEMA,
      name: 'local.dowser/clock',
      title: 'Clock',
      description: 'Clock',
      version: '1.0.0',
      remotes: [{ type: 'streamable-http', url: 'https://clock.example/mcp' }],
    });
  });

  it('of a virtual server has no address', () => {
    const { text } = artifact({
      type: 'virtual_server',
      path: '/virtual/desk',
      name: 'Desk',
      description: 'All of it.',
    });
    expect(faultsOf('serverCard', JSON.parse(text))).toEqual([]);
    expect(JSON.parse(text)).toEqual({
      $schema: SERVER_CARD_SCHEMA,
      name: expect.stringMatching(/^local\.dowser\/virtual-desk-[0-9a-f]{10}$/),
      title: 'Desk',
      description: 'All of it.',
      version: '1.0.0',
    });
  });

  it('of an agent is a card of A2A 1.0', () => {
    const { mediaType, text } = artifact({
      type: 'a2a_agent',
      path: '/travel',
      name: 'Travel',
      description: 'Books.',
      url: 'https://travel.example/a2a',
      skills: [{ name: 'book', description: 'Books a flight.', tags: ['flights'] }],
    });
    expect(mediaType).toBe('application/a2a-agent-card+json');
    const card = JSON.parse(text);
    expect(faultsOf('agentCard', card)).toEqual([]);
    expect(card.supportedInterfaces).toEqual([
      { url: 'https://travel.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ]);
    expect(card.skills[0].id).toBe('book');
  });

  it('of a skill is its SKILL.md, with a front matter that no description can break out of', () => {
    const { mediaType, text } = artifact({
      type: 'skill',
      path: '/pack',
      name: 'pack',
      description: 'one\n---\nevil: yes',
      license: 'MIT',
      version: '2.0',
      allowed_tools: ['Read', 'Write'],
      metadata: { team: 'travel' },
      body: '# Pack',
    });
    expect(mediaType).toBe('application/ai-skill+md');
    expect(text.split('\n')).toEqual([
      '---',
      'name: "pack"',
      'description: "one\\n---\\nevil: yes"',
      'license: "MIT"',
      'allowed-tools: "Read Write"',
      'metadata:',
      '  team: "travel"',
      '  version: "2.0"',
      '---',
      '# Pack',
    ]);
  });
});

describe('dowserCard', () => {
  it('is a card of A2A 1.0 with the address of the agent in every interface', () => {
    const card = dowserCard('https://tools.example.com', '1.2.3');
    expect(faultsOf('agentCard', card)).toEqual([]);
    expect(card.supportedInterfaces.map(({ url }) => url)).toEqual([
      'https://tools.example.com/a2a',
      'https://tools.example.com/a2a',
    ]);
  });
});
