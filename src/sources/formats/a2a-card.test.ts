import { describe, expect, it } from 'vitest';
import { DowserError } from '../../model/errors/errors.ts';
import { readAgentCard } from './a2a-card.ts';

const SKILL = { id: 'translate', name: 'Translate', description: 'Translates text', tags: ['language'] };

const OLDER = {
  protocolVersion: '0.3.0',
  name: 'Polyglot',
  description: 'Translates documents',
  url: 'https://polyglot.test/a2a',
  preferredTransport: 'GRPC',
  additionalInterfaces: [
    { url: 'https://polyglot.test/a2a', transport: 'GRPC' },
    { url: 'https://polyglot.test/rest', transport: 'HTTP+JSON' },
  ],
  version: '9.9.9',
  capabilities: { streaming: true },
  supportsAuthenticatedExtendedCard: true,
  security: [{ key: [] }],
  defaultInputModes: ['text/plain'],
  provider: { organization: 'Words', url: 'https://words.test' },
  skills: [{ ...SKILL, examples: ['Translate this to French'], inputModes: ['text/plain'] }],
};

const CURRENT = {
  name: 'Polyglot',
  description: 'Translates documents',
  supportedInterfaces: [
    { url: 'https://polyglot.test/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: 'https://polyglot.test/grpc', protocolBinding: 'GRPC', protocolVersion: '1.0' },
  ],
  version: '2.0.0',
  capabilities: { extendedAgentCard: true },
  skills: [SKILL],
};

describe('readAgentCard', () => {
  it('reads a card of version 0.3 and keeps it in the shape of 1.0', () => {
    const { entity, warnings } = readAgentCard(OLDER);
    expect(warnings).toEqual([]);
    expect(entity).toMatchObject({
      type: 'a2a_agent',
      path: '/polyglot',
      name: 'Polyglot',
      url: 'https://polyglot.test/a2a',
      version: '9.9.9',
      protocol_version: '0.3.0',
      provider: 'Words',
      capabilities: { streaming: true, extendedAgentCard: true },
      skills: [{ ...SKILL, examples: ['Translate this to French'] }],
      status: 'active',
      is_enabled: true,
    });
    expect(entity.card).toEqual({
      name: 'Polyglot',
      description: 'Translates documents',
      version: '9.9.9',
      supportedInterfaces: [
        { url: 'https://polyglot.test/a2a', protocolBinding: 'GRPC', protocolVersion: '0.3.0' },
        { url: 'https://polyglot.test/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3.0' },
      ],
      capabilities: { streaming: true, extendedAgentCard: true },
      securityRequirements: [{ key: [] }],
      defaultInputModes: ['text/plain'],
      provider: { organization: 'Words', url: 'https://words.test' },
      skills: OLDER.skills,
    });
  });

  it('reads a card of version 1.0: the first interface is the preferred one', () => {
    const { entity, warnings } = readAgentCard(CURRENT);
    expect(warnings).toEqual([]);
    expect(entity).toMatchObject({ url: 'https://polyglot.test/a2a', protocol_version: '1.0', version: '2.0.0' });
    expect(entity.card).toEqual(CURRENT);
  });

  it('never takes the version of the agent for that of the protocol', () => {
    const { protocolVersion: _, ...card } = OLDER;
    expect(readAgentCard(card).entity.protocol_version).toBeUndefined();
  });

  it('reads the fields that a registry adds, in both spellings, and leaves them out of the card', () => {
    for (const fields of [
      { trustLevel: 'verified', allowedGroups: ['eu'], isEnabled: false },
      { trust_level: 'verified', allowed_groups: 'eu', is_enabled: false },
    ]) {
      const registry = { tags: ['Language'], visibility: 'group', status: 'DRAFT', metadata: { team: 'words' } };
      const { entity } = readAgentCard({ ...CURRENT, ...registry, ...fields, path: '/words/polyglot' });
      expect(entity).toMatchObject({
        path: '/words/polyglot',
        tags: ['Language'],
        visibility: 'group-restricted',
        status: 'draft',
        metadata: { team: 'words' },
        trust_level: 'verified',
        allowed_groups: ['eu'],
        is_enabled: false,
      });
      expect(entity.card).toEqual(CURRENT);
    }
  });

  it('prefers the path of its caller', () => {
    expect(readAgentCard({ ...CURRENT, path: '/card' }, { path: '/caller' }).entity.path).toBe('/caller');
  });

  it('reads what it wrote as the same agent', () => {
    const { entity } = readAgentCard(OLDER);
    expect(readAgentCard(entity.card).entity).toEqual(entity);
  });

  it.each([
    ['tags', 7, "'tags' of the card is 7, not a list of strings, and was dropped."],
    ['metadata', 'x', '\'metadata\' of the card is "x", not an object, and was dropped.'],
    ['skills', {}, "'skills' of the card is {}, not a list, and was dropped."],
    ['skills', [{ description: 'nameless' }, SKILL], 'it has no name and was dropped'],
    ['skills', [{ name: 'x', tags: 1 }], "Skill 0: 'tags' of the card is 1"],
    ['description', undefined, "The card has no 'description'"],
    ['supportedInterfaces', undefined, 'has no address'],
  ])('takes a card whose %s is %j, with a warning', (field, value, warning) => {
    const { warnings } = readAgentCard({ ...CURRENT, [field]: value });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(warning);
  });

  it('takes capabilities that are a list of names', () => {
    const { entity, warnings } = readAgentCard({ ...CURRENT, capabilities: ['streaming'] });
    expect([entity.capabilities, warnings]).toEqual([{ streaming: true }, []]);
  });

  it.each([
    ['null', null, undefined],
    ['a list', [], undefined],
    ['no name', { ...CURRENT, name: undefined }, 'name'],
    ['a blank name', { ...CURRENT, name: ' ' }, 'name'],
    ['a name without letters', { ...CURRENT, name: '!!!' }, 'path'],
    ['an unknown status', { ...CURRENT, status: 'sleeping' }, 'status'],
  ])('refuses %s', (_, card, field) => {
    const read = () => readAgentCard(card);
    expect(read).toThrow(DowserError);
    expect(read).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', field }));
  });

  it('makes a path of a name in any script', () => {
    expect(readAgentCard({ ...CURRENT, name: '天気 Agent (β)' }).entity.path).toBe('/天気-agent-β');
  });
});
