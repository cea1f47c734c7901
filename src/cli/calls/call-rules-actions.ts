import { resolve } from 'node:path';
import { classOf } from '../../calls/rules/call-class.ts';
import { type CallRule, CallRuleFile } from '../../calls/rules/call-rules.ts';
import { proposedClass } from '../../calls/rules/proposed-class.ts';
import { placeDigestOf } from '../../calls/rules/server-place.ts';
import type { McpServer, VirtualServer } from '../../model/entity.ts';
import { toolsOf } from '../../model/entity-types/table.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { CALL_CLASSES, type CallClass } from '../../model/query/call-classes.ts';
import type { Registry } from '../../registry/contract/registry.ts';
import { withBackend } from '../context/backend.ts';
import { type CommandRun, print, settingsFor, wrongOption } from '../context/context.ts';
import { getWanted } from '../context/named-entity.ts';

/** What the operator says of one server. */
interface Ruled {
  readonly path: string;
  readonly rule: CallRule;
}

/** Lets the tools of a server be called, wherever it came from. */
export function allow(run: CommandRun, named: string | undefined): Promise<number> {
  const { tools: only, class: given, cwd, share } = run.options;
  const names = only === undefined ? undefined : namesIn(only);
  const callClass = classIn(given);
  return change(run, named, async (server, backend) => {
    const place = server.type === 'mcp_server' ? await placeDigestFor(backend, server) : undefined;
    checkTools(server, names);
    return (rule) => {
      const { deny: denied, ...rest } = rule;
      const left = names === undefined || denied === true ? [] : (denied ?? []).filter((name) => !names.includes(name));
      const classes =
        callClass === undefined || names === undefined
          ? {}
          : { classes: { ...rest.classes, ...Object.fromEntries(names.map((name) => [name, callClass])) } };
      return {
        ...rest,
        allow: true,
        ...(place === undefined ? {} : { place }),
        ...(names === undefined ? {} : { tools: [...new Set([...(rest.tools ?? []), ...names])] }),
        ...(left.length === 0 ? {} : { deny: left }),
        ...(callClass !== undefined && names === undefined ? { class: callClass } : {}),
        ...classes,
        ...(cwd === undefined ? {} : { cwd: resolve(String(cwd)) }),
        ...(share === true ? { share: true } : {}),
      };
    };
  });
}

/** Lets nobody call the tools of a server. */
export function deny(run: CommandRun, named: string | undefined): Promise<number> {
  const names = run.options.tools === undefined ? undefined : namesIn(run.options.tools);
  return change(run, named, async (server) => {
    checkTools(server, names);
    return (rule) => {
      if (names === undefined) return { ...rule, deny: true };
      const before = Array.isArray(rule.deny) ? rule.deny : [];
      return { ...rule, deny: rule.deny === true ? true : [...new Set([...before, ...names])] };
    };
  });
}

/** Proposes a class for tools that do not say what they do. */
export function classify(run: CommandRun, named: string | undefined): Promise<number> {
  return withServer(run, named, async (server, _, path) => {
    const file = new CallRuleFile(settingsFor(run).settings.data_dir);
    const rule = file.read()[path] ?? {};
    const tools = toolsOf(server).map(({ name, annotations }) => {
      const annotated = classOf(annotations);
      const isSaid = annotations?.readOnlyHint !== undefined || annotations?.destructiveHint !== undefined;
      const current = rule.classes?.[name] ?? rule.class ?? annotated;
      return { name, current, proposed: isSaid ? annotated : proposedClass(name), annotated: isSaid };
    });
    const changed = tools.filter(({ annotated, proposed, current }) => !annotated && proposed !== current);
    if (run.options.accept === true && changed.length > 0) {
      const classes = Object.fromEntries(changed.map(({ name, proposed }) => [name, proposed]));
      await file.write(path, (before) => ({ ...before, classes: { ...before.classes, ...classes } }));
    }
    const isAccepted = run.options.accept === true;
    print(run, { path, tools, accepted: isAccepted }, () => {
      const lines = tools.map(({ name, current, proposed, annotated }) => {
        const shown = annotated ? '(by its annotations)' : proposed === current ? '' : `-> ${proposed}`;
        return `${name}  ${isAccepted && !annotated ? proposed : current}  ${isAccepted ? '' : shown}`.trimEnd();
      });
      const hint =
        isAccepted || changed.length === 0 ? '' : `Accept them with \`dowser call classify ${path} --accept\`.\n`;
      return `${lines.join('\n')}\n${hint}`;
    });
    return 0;
  });
}

type Change = (rule: CallRule) => CallRule;
type Server = McpServer | VirtualServer;

function change(
  run: CommandRun,
  named: string | undefined,
  make: (server: Server, backend: Pick<Registry, 'sources'>) => Promise<Change>,
): Promise<number> {
  return withServer(run, named, async (server, backend, path) => {
    const file = new CallRuleFile(settingsFor(run).settings.data_dir);
    const result: Ruled = { path, rule: await file.write(path, await make(server, backend)) };
    print(run, result, () => `${path}  ${wordsOf(result.rule)}\n`);
    return 0;
  });
}

/** Only the user of the data folder may: a key of the registry is not enough. */
async function withServer(
  run: CommandRun,
  named: string | undefined,
  work: (server: Server, backend: Pick<Registry, 'sources'>, path: string) => Promise<number>,
): Promise<number> {
  if (run.key !== undefined) {
    throw new DowserError('FORBIDDEN', 'Only the user of the data folder may say which tools may be called.', {
      hint: 'Run the command without DOWSER_KEY.',
    });
  }
  if (named === undefined) {
    throw new DowserError('INVALID_REQUEST', 'The server is missing.', { hint: 'dowser call allow <server>' });
  }
  return withBackend(run, { reads: true, missing: 'refuse' }, async (backend) => {
    const { entity } = await getWanted(backend, [named]);
    if (entity.type === 'mcp_server' || entity.type === 'virtual_server') return work(entity, backend, entity.path);
    throw new DowserError('INVALID_REQUEST', `'${named}' is a ${entity.type}: only tools of servers can be called.`, {
      hint: 'Name a server, such as /github. Use --tools for some of its tools.',
    });
  });
}

async function placeDigestFor(backend: Pick<Registry, 'sources'>, server: McpServer): Promise<string> {
  for (const { kind, locator, entities } of await backend.sources()) {
    const own = entities.find(({ entity_type, path }) => entity_type === 'mcp_server' && path === server.path);
    if (own !== undefined) return placeDigestOf({ server, source: { kind, locator, part: own.part, key: '' } });
  }
  return placeDigestOf({ server, source: undefined });
}

function checkTools(server: Server, names: readonly string[] | undefined): void {
  const known = toolsOf(server).map(({ name }) => name);
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new DowserError('NOT_FOUND', `${server.path} has no tool '${unknown}'.`, {
    hint: `It has ${known.join(', ')}.`,
  });
}

const namesIn = (value: unknown): readonly string[] =>
  String(value)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

function classIn(value: unknown): CallClass | undefined {
  if (value === undefined) return undefined;
  const found = CALL_CLASSES.find((name) => name === value);
  if (found === undefined) throw wrongOption('class', value, `one of ${CALL_CLASSES.join(', ')}`);
  return found;
}

function wordsOf({ allow: isAllowed, tools, deny: denied, class: all, classes = {}, cwd, share }: CallRule): string {
  const parts = [
    ...(isAllowed === true ? [`allowed${tools === undefined ? '' : `: ${tools.join(', ')}`}`] : []),
    ...(denied === true ? ['denied'] : denied === undefined ? [] : [`denied: ${denied.join(', ')}`]),
    ...(all === undefined ? [] : [`class ${all}`]),
    ...Object.entries(classes).map(([name, callClass]) => `${name} is ${callClass}`),
    ...(cwd === undefined ? [] : [`runs in ${cwd}`]),
    ...(share === true ? ['shared'] : []),
  ];
  return parts.join('; ');
}
