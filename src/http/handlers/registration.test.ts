import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ServedRegistry, serveRegistry } from '../../../test/support/served-registry.ts';

let served: ServedRegistry;
beforeEach(async () => {
  served = await serveRegistry();
});
afterEach(() => served.close());

const server = { name: 'Clock', description: 'Tells the time', path: '/clock', proxy_pass_url: 'https://clock.test' };
const agent = { name: 'Clock', description: 'Tells the time', path: '/agents/clock', url: 'https://clock.test' };
const skill = { name: 'clock', description: 'Tells the time' };
const virtual = { server_name: 'Clock', path: '/virtual/clock' };

it.each([
  ['a server', '/api/servers/register', server, 'Clock', '/clock'],
  ['an agent', '/api/agents/register?overwrite=true', agent, 'Clock', '/agents/clock'],
  ['a skill', '/api/skills', { ...skill, overwrite: true }, 'clock', '/skills/clock'],
  ['a virtual server', '/api/virtual-servers', { ...virtual, overwrite: true }, 'Clock', '/virtual/clock'],
])('%s is reported as new or as a replacement', async (_, route, body, name, path) => {
  const register = async () => {
    const { status, json } = await served.send('POST', route, body);
    return [status, json.path, json.message];
  };
  expect(await register()).toEqual([201, path, `${name} is registered at ${path}.`]);
  expect(await register()).toEqual([201, path, `${name} is replaced at ${path}.`]);
});
