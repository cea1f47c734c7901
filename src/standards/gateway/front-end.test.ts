import { expect, it } from 'vitest';
import { toConfig } from './front-end.ts';

it.each([
  [
    { required: false, anonymousRead: false },
    { sign_in: false, anonymous_read: true },
  ],
  [
    { required: true, anonymousRead: false },
    { sign_in: true, anonymous_read: false },
  ],
  [
    { required: true, anonymousRead: true },
    { sign_in: true, anonymous_read: true },
  ],
])('says whether callers sign in: %o', (facts, features) => {
  expect(toConfig(facts, false).features).toMatchObject({ ...features, mcp_servers: true, tool_calls: false });
  expect(toConfig(facts, true).features).toMatchObject({ ...features, tool_calls: true });
});
