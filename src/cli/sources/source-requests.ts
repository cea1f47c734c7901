import { DowserError } from '../../model/errors/errors.ts';
import { stated } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import type { SourceRequest } from '../../sources/open/open-source.ts';
import { shownArgument } from '../../sources/secrets/secret-references.ts';
import { isSourceKind, SOURCE_KINDS } from '../../sources/source.ts';
import { type CommandRun, wrongOption } from '../context/context.ts';

/** The pairs of a repeated option. An error does not show the text: it may be a secret. */
function readPairs(given: unknown, flag: string, form: RegExp, expected: string): Readonly<Record<string, string>> {
  const pairs = ((given ?? []) as readonly string[]).map((text): readonly [string, string] => {
    const [, name, value] = form.exec(text) ?? [];
    if (name === undefined) throw new DowserError('INVALID_REQUEST', `--${flag} must be ${expected}.`, { field: flag });
    // `--env NAME` passes on a variable of this process.
    return [name, value ?? `\${${name}}`];
  });
  return Object.fromEntries(pairs);
}

/** A request for each thing to add. `dowser add mcp -- npx ...` and `dowser add a2a <address>` name the kind first. */
export function toSourceRequests({
  name,
  args,
  options,
}: Pick<CommandRun, 'name' | 'args' | 'options'>): readonly SourceRequest[] {
  const command = options['--'] as readonly string[] | undefined;
  const words = command === undefined ? args : args.slice(0, args.length - command.length);
  const [first, ...others] = words;
  const namesKind = options.kind === undefined && isSourceKind(first) && (others.length > 0 || command !== undefined);
  const kind = namesKind ? first : options.kind;
  const things = namesKind ? others : words;
  if (kind !== undefined && !isSourceKind(kind)) throw wrongOption('kind', kind, `one of ${SOURCE_KINDS.join(', ')}`);
  if (command !== undefined && things.length > 0) {
    throw new DowserError(
      'INVALID_REQUEST',
      `${showValue(shownArgument(things[0]!))} and a command cannot be read at once.`,
      {
        hint: `Write \`dowser ${name} -- npx -y some-server\`, and the other in a second command.`,
      },
    );
  }
  const shared = {
    env: readPairs(options.env, 'env', /^([A-Za-z_]\w*)(?:=(.*))?$/s, 'NAME or NAME=value'),
    headers: readPairs(options.header, 'header', /^([\w!#$%&'*+.^`|~-]+):\s*(.+)$/s, "'Name: value'"),
    ...stated({
      kind,
      name: options.name as string | undefined,
      namespace: options.namespace as string | undefined,
    }),
  };
  if (command !== undefined) return [{ ...shared, command }];
  if (things.length === 0) {
    throw new DowserError('INVALID_REQUEST', `There is nothing to ${name}.`, {
      hint: 'Name a file, a folder or an address, or a command after --.',
    });
  }
  return things.map((what) => ({ ...shared, what }));
}
