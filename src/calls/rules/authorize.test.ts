import { describe, expect, it } from 'vitest';
import { fakeUpstreams } from '../../../test/support/fake-upstreams.ts';
import { type Caller, callerOf } from '../../model/caller/caller.ts';
import { parseEntity, type VirtualServer } from '../../model/entity.ts';
import type { FoundTool } from '../contract/tool-caller.ts';
import { type AuthorizeOptions, authorize } from './authorize.ts';

const READ = { annotations: { readOnlyHint: true } };
const { view } = fakeUpstreams({ '/github': [{ name: 'get_issue', ...READ }, { name: 'delete_repo' }] });

/** Mapped as `/virtual/v#issue`. */
async function mapped(more: object): Promise<FoundTool> {
  const { backend } = (await view.find('/github#get_issue'))!;
  const mapping = { tool_name: 'get_issue', alias: 'issue', backend_server_path: '/github' };
  const { entity } = parseEntity({
    type: 'virtual_server',
    path: '/virtual/v',
    name: 'v',
    tool_mappings: [mapping],
    ...more,
  });
  return { path: '/virtual/v#issue', server: entity as VirtualServer, backend };
}

const inGroups = (...groups: string[]): Caller => callerOf({ name: 'bob', groups, scopes: ['read', 'call:read'] });
const allowed = (found: FoundTool, more: Partial<AuthorizeOptions> = {}) =>
  authorize({
    found,
    caller: inGroups(),
    rules: {},
    limit: 'destructive',
    readOnly: false,
    isTrusted: () => true,
    ...more,
  });
const code = (name: string) => expect.objectContaining({ code: name });

describe('a tool of a virtual server', () => {
  it('has the class of the tool that runs it, and obeys the rules of both servers', async () => {
    const found = await mapped({});
    expect(allowed(found).class).toBe('read');
    expect(() => allowed(found, { rules: { '/github': { deny: ['get_issue'] } } })).toThrow(code('NOT_CALLABLE'));
    expect(() => allowed(found, { rules: { '/virtual/v': { deny: ['issue'] } } })).toThrow(code('NOT_CALLABLE'));
    expect(() => allowed(found, { rules: { '/github': { classes: { get_issue: 'write' } } } })).toThrow(
      code('FORBIDDEN'),
    );
    expect(() => allowed({ ...found, backend: null })).toThrow(code('NOT_CALLABLE'));
  });

  it('is for callers of the groups that it requires, and of those that its tool requires too', async () => {
    const found = await mapped({
      required_scopes: ['payments'],
      tool_scope_overrides: [
        { tool_alias: 'issue', required_scopes: ['support'] },
        { tool_alias: 'other', required_scopes: ['nobody'] },
      ],
    });
    expect(() => allowed(found)).toThrow(code('FORBIDDEN'));
    expect(() => allowed(found, { caller: inGroups('payments') })).toThrow(code('FORBIDDEN'));
    expect(() => allowed(found, { caller: inGroups('support') })).toThrow(code('FORBIDDEN'));
    expect(allowed(found, { caller: inGroups('payments', 'support') }).class).toBe('read');
    expect(allowed(found, { caller: callerOf({ name: 'ada', groups: [], scopes: ['admin'] }) }).class).toBe('read');
  });
});

it('a class that the setting does not allow is refused, also to an admin', async () => {
  const found = (await view.find('/github#delete_repo'))!;
  const caller = callerOf({ name: 'ada', groups: [], scopes: ['admin'] });
  expect(() => allowed(found, { caller, limit: 'write' })).toThrow(code('CLASS_REFUSED'));
  expect(() => allowed(found, { caller, readOnly: true })).toThrow(code('CLASS_REFUSED'));
  expect(allowed(found, { caller }).class).toBe('destructive');
});
