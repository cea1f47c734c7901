import { isObject, type JsonObject } from '../data/json.ts';

/** The entities of a file: JSON Lines, a JSON list, `{"entities": [...]}`, or one entity. Throws with the line that is wrong. */
export function entitiesOfFile(text: string): readonly JsonObject[] {
  const whole = parsed(text);
  if (whole === undefined) return linesOf(text);
  const list =
    isObject(whole) && Array.isArray(whole.entities) ? whole.entities : Array.isArray(whole) ? whole : [whole];
  return list.map((one, at) => checked(one, `Item ${at + 1}`));
}

function linesOf(text: string): readonly JsonObject[] {
  const lines = text.split('\n').map((line, at) => ({ line: line.trim(), number: at + 1 }));
  return lines.filter(({ line }) => line !== '').map(({ line, number }) => checked(parsed(line), `Line ${number}`));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checked(value: unknown, where: string): JsonObject {
  if (!isObject(value)) throw new Error(`${where} is not a JSON object.`);
  // `dowser export` writes records; an import takes either.
  return isObject(value.entity) ? value.entity : value;
}
