/** `${NAME}`, `${env:NAME}`, `${input:name}` or `${NAME:-default}`, as sources and clients' configurations write it. */
const REFERENCE = /\$\{(?:(?:env|input):)?([\w.-]+)(?::-[^{}]*)?\}/g;

/** A text in the format of `server.json`, where `{NAME}` stands for a variable. */
export interface ValueTemplate {
  readonly text: string;
  /** Absent without a reference. */
  readonly variables?: Readonly<Record<string, { readonly isRequired: true; readonly isSecret: true }>>;
}

/** References stand for secrets, and the person who installs the server has to give them. */
export function toValueTemplate(written: string): ValueTemplate {
  const names = Array.from(written.matchAll(REFERENCE), ([, name]) => name!);
  if (names.length === 0) return { text: written };
  const needed = { isRequired: true, isSecret: true } as const;
  return {
    text: written.replaceAll(REFERENCE, (_, name: string) => `{${name}}`),
    variables: Object.fromEntries(names.map((name) => [name, needed])),
  };
}
