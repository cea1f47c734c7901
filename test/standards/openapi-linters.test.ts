import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore, { type RulesetDefinition } from '@stoplight/spectral-core';
import spectralRules from '@stoplight/spectral-rulesets';
import { expect, it } from 'vitest';
import { standardsServer } from '../support/standards-server.ts';

async function openApi(): Promise<string> {
  const site = await standardsServer();
  const { text } = await site.get('/openapi.json');
  await site.close();
  return text;
}

/** `/api/agents/batch/{job_id}` beside `/api/agents/{path}/rate`: routes of the MCP gateway registry, as its clients ask them. */
const KNOWN_WARNINGS = ['no-ambiguous-paths'];

it('is valid by the recommended rules of Redocly', async () => {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: await openApi(), config, absoluteRef: 'openapi.json' });
  const unknown = problems.filter(({ severity, ruleId }) => severity === 'error' || !KNOWN_WARNINGS.includes(ruleId));
  expect(unknown.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
});

it('is valid by the recommended rules of Spectral', async () => {
  const spectral = new spectralCore.Spectral();
  spectral.setRuleset({
    extends: [[spectralRules.oas as RulesetDefinition, 'recommended']],
    // It takes every object with the keys `schema` and `examples` for a media type, also the properties of a tool.
    // It does not know that OpenAPI 3.1 allows roles for bearer tokens: ours are the rights of operations.
    rules: { 'oas3-valid-media-example': 'off', 'oas3-operation-security-defined': 'off' },
  });
  const problems = await spectral.run(JSON.parse(await openApi()));
  expect(problems.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`)).toEqual([]);
});
