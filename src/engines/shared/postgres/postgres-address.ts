import { DowserError } from '../../../model/errors/errors.ts';

/** The address of a database as a driver wants it, and as a person may see it. */
export interface PostgresAddress {
  readonly connectionString: string;
  /** Without user, password and parameters. */
  readonly shown: string;
}

/** Throws INVALID_SETTING without repeating the address: it may have a password. */
export function parsePostgresAddress(url: string): PostgresAddress {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^postgres(?:ql)?:$/.test(parsed.protocol) || parsed.hostname === '') {
    throw new DowserError('INVALID_SETTING', "'store' is not the address of a PostgreSQL database.", {
      field: 'store',
      hint: 'Write it as postgres://USER:PASSWORD@HOST:5432/DATABASE.',
    });
  }
  const port = parsed.port === '' ? '5432' : parsed.port;
  return { connectionString: url, shown: `${parsed.hostname}:${port}${parsed.pathname}` };
}
