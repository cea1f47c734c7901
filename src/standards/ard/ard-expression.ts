import { foldMediaType } from '../../model/ard-media-types.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { showValue } from '../../model/parse/parse.ts';
import { type ArdSummary, publisherOf } from './ard-entry.ts';

/** ARD appendix A: the filter fields of the list of entries. */
const EXPRESSION_FIELDS = ['displayName', 'type', 'publisherId', 'createdAfter', 'updatedAfter'] as const;
type ExpressionField = (typeof EXPRESSION_FIELDS)[number];

export type EntryTest = (summary: ArdSummary, domain: string) => boolean;

/** `field = 'a, b'` or `field > '2026-01-01'`. A value without spaces needs no quotes. */
const CLAUSE = /^\s*(\w+)\s*([=>])\s*(?:'([^']*)'|"([^"]*)"|([^\s'"]+))\s*/;
const AND = /^AND\s+/i;

function invalid(text: string, why: string): DowserError {
  return new DowserError('INVALID_REQUEST', `'filter' of the query string is ${showValue(text)}: ${why}.`, {
    field: 'filter',
    hint: "Use clauses such as type = 'application/mcp-server-card+json' AND updatedAfter > '2026-01-01'.",
  });
}

/** Parses a filter expression: clauses joined by AND. A clause matches any of its comma-separated values. */
export function parseExpression(text: string): EntryTest {
  const tests: EntryTest[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const clause = CLAUSE.exec(rest);
    if (clause === null) throw invalid(text, `invalid clause at ${showValue(rest)}`);
    const [whole, name = '', , single, double, bare] = clause;
    const field = EXPRESSION_FIELDS.find((known) => known === name);
    if (field === undefined) throw invalid(text, `unknown field ${name}; use one of ${EXPRESSION_FIELDS.join(', ')}`);
    tests.push(testOf(field, (single ?? double ?? bare)!, text));
    rest = rest.slice(whole.length);
    if (rest === '') break;
    const and = AND.exec(rest);
    if (and === null) throw invalid(text, `AND is missing before ${showValue(rest)}`);
    rest = rest.slice(and[0].length);
    if (rest === '') throw invalid(text, 'it ends with AND');
  }
  return (summary, domain) => tests.every((test) => test(summary, domain));
}

function testOf(field: ExpressionField, value: string, text: string): EntryTest {
  const values = value.split(',').map((item) => item.trim());
  switch (field) {
    case 'displayName': {
      const wanted = values.map((item) => item.toLowerCase());
      return ({ displayName }) => wanted.some((item) => displayName.toLowerCase().includes(item));
    }
    case 'type': {
      const wanted = values.map(foldMediaType);
      return ({ type }) => wanted.includes(type);
    }
    case 'publisherId':
      return (summary, domain) => values.includes(publisherOf(summary, domain));
    case 'createdAfter':
    case 'updatedAfter': {
      const after = Date.parse(value);
      if (Number.isNaN(after)) throw invalid(text, `${field} needs a time such as 2026-01-31T12:00:00Z`);
      return ({ createdAt, updatedAt }) => Date.parse(field === 'createdAfter' ? createdAt : updatedAt) > after;
    }
  }
}

const ORDERS = ['displayName', 'createdAt', 'updatedAt'] as const;

export interface EntryOrder {
  readonly by: 'key' | (typeof ORDERS)[number];
  readonly descending: boolean;
}

/** Parses `orderBy`: one field, with ASC or DESC. Default: by identifier. */
export function parseOrder(text: string): EntryOrder {
  if (text.trim() === '') return { by: 'key', descending: false };
  const [, name, direction] = /^\s*(\w+)(?:\s+(asc|desc))?\s*$/i.exec(text) ?? [];
  const by = name === 'name' ? 'displayName' : ORDERS.find((order) => order === name);
  if (by === undefined && name !== 'identifier') {
    throw new DowserError(
      'INVALID_REQUEST',
      `'orderBy' of the query string is ${showValue(text)}: not a known order.`,
      {
        field: 'orderBy',
        hint: `Use one of identifier, ${ORDERS.join(', ')}, with ASC or DESC after it.`,
      },
    );
  }
  return { by: by ?? 'key', descending: direction?.toLowerCase() === 'desc' };
}
