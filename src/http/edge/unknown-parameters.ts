import type { Operation } from '../../api/routes/operation.ts';
import { isJsonObject } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import { meantField } from '../../model/text/meant-name.ts';
import type { Reply } from '../body/reply.ts';

/** A request may have many. Only the first few are named. */
const MAX_NAMED = 5;

/**
 * Adds a warning for each query parameter that an operation does not have. Clients of the registry send more than it reads, so
 * the request is answered. `sentOf` gives the parameters of the request. Operations of our own whose answers have no `warnings` refuse unknown parameters by their schema.
 */
export function unknownParameters(operation: Operation): (sentOf: () => readonly string[], reply: Reply) => Reply {
  const known = Object.keys(shapeOf(operation.query));
  const answers = Object.values(operation.responses).map((schema) => shapeOf(schema));
  if (!answers.some((shape) => 'warnings' in shape)) return (_, reply) => reply;
  return (sentOf, reply) => {
    const unknown = sentOf().filter((name) => !known.includes(name));
    if (unknown.length === 0 || !isJsonObject(reply.body)) return reply;
    const { warnings } = reply.body;
    const added = unknown.slice(0, MAX_NAMED).map((name) => warningFor(name, known));
    if (unknown.length > MAX_NAMED) added.push(`Other parameters that are ignored: ${unknown.length - MAX_NAMED}.`);
    return { ...reply, body: { ...reply.body, warnings: [...added, ...(Array.isArray(warnings) ? warnings : [])] } };
  };
}

/** The fields of the schema of an object. */
function shapeOf(schema: unknown): object {
  const { shape } = isJsonObject(schema) ? schema : {};
  return isJsonObject(shape) ? shape : {};
}

function warningFor(name: string, known: readonly string[]): string {
  const meant = meantField(name, known);
  const hint = meant === undefined ? '' : ` Did you mean '${meant}'?`;
  return `This route has no query parameter ${showValue(name)}; it is ignored.${hint}`;
}
