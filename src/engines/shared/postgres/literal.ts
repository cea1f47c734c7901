type Scalar = string | number | boolean | Buffer | null;

/**
 * A statement with its values in it. Several statements can then go to the server in one message, and one answer comes back. The
 * session has `standard_conforming_strings`, and no value has a NUL: see `stored-text.ts`.
 */
export function inline(statement: string, values: readonly unknown[]): string {
  return statement.replace(/\$(\d+)/g, (_, number: string) =>
    literal(values[Number(number) - 1] as Scalar | readonly Scalar[]),
  );
}

export function literal(value: Scalar | readonly Scalar[]): string {
  if (Array.isArray(value)) return quoted(`{${value.map(element).join(',')}}`);
  if (value === null) return 'NULL';
  return typeof value === 'number' ? String(value) : quoted(textOf(value as Scalar));
}

/** Of the text of an array. */
function element(value: Scalar): string {
  return value === null ? 'NULL' : `"${textOf(value).replace(/["\\]/g, '\\$&')}"`;
}

const textOf = (value: Scalar): string => (Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value));

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
