import { describe, expect, it } from 'vitest';
import type { McpServer } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { checkAddresses, expectAddress } from './server-address.ts';

function refusalOf(check: () => void): DowserError | undefined {
  try {
    check();
    return undefined;
  } catch (thrown) {
    return thrown as DowserError;
  }
}

const NOWHERE = ['nowhere', 'localhost:8080', 'http://', 'javascript:alert(1)', 'ftp://clock.test'];

describe('the addresses of a server', () => {
  it.each(NOWHERE)('lead somewhere, unlike %s', (address) => {
    const url = 'https://clock.test';
    for (const [field, fields] of [
      ['proxy_pass_url', { url: address }],
      ['mcp_endpoint', { url, mcp_endpoint: address }],
      ['sse_endpoint', { deployment: 'local', sse_endpoint: address }],
    ] as const) {
      const refusal = refusalOf(() => checkAddresses(fields));
      expect(refusal).toBeInstanceOf(DowserError);
      expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', field });
      expect(refusal?.message).toContain(`'${field}' of the server is "${address}": must be an http, https, ws or wss`);
    }
  });

  it.each(['http', 'https', 'ws', 'wss'])('may be %s', (protocol) => {
    const address = `${protocol}://{tenant}.clock.test:{port}/mcp`;
    const fields = { url: address, mcp_endpoint: address, sse_endpoint: address };
    expect(refusalOf(() => checkAddresses(fields))).toBeUndefined();
  });

  it('are needed of a remote server only, and one is enough', () => {
    expect(refusalOf(() => expectAddress({ mcp_endpoint: ' ', sse_endpoint: null }))).toMatchObject({
      field: 'proxy_pass_url',
    });
    expect(refusalOf(() => expectAddress({ deployment: 'local' }))).toBeUndefined();
    expect(refusalOf(() => expectAddress({ sse_endpoint: 'https://clock.test/sse' }))).toBeUndefined();
  });

  it('may be sent back as they are stored', () => {
    const odd = { url: 'nowhere', mcp_endpoint: 'nowhere', sse_endpoint: 'nowhere' };
    const stored = odd as Partial<McpServer> as McpServer;
    expect(refusalOf(() => checkAddresses(odd, stored))).toBeUndefined();
    const changed = { ...odd, sse_endpoint: 'elsewhere' };
    expect(refusalOf(() => checkAddresses(changed, stored))).toMatchObject({ field: 'sse_endpoint' });
  });
});
