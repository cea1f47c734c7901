/** The types of BSON as JSON: identifiers and times as text, numbers as numbers. Bytes have no JSON and become null. */
export function toPlain(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== 'object') return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.map(toPlain);
  if (value instanceof RegExp) return value.source;
  if ('_bsontype' in value) return ofType(value as BsonValue);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toPlain(item)]));
}

type BsonValue = object & { readonly _bsontype: string; readonly sub_type?: number };

function ofType(value: BsonValue): unknown {
  switch (value._bsontype) {
    case 'ObjectId':
    case 'Decimal128':
    case 'UUID':
      return String(value);
    case 'Long':
      return toPlain(BigInt(String(value)));
    case 'Int32':
    case 'Double':
      return Number(value);
    case 'BSONSymbol':
      return String(value.valueOf());
    default:
      // A UUID of an older driver has a subtype of its own; all other bytes are none of the registry's data.
      return value.sub_type === 4 ? String(value) : null;
  }
}
