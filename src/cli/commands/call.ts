import { text as streamText } from 'node:stream/consumers';
import { DowserError } from '../../model/errors/errors.ts';
import { isJsonObject, type JsonObject, stated } from '../../model/json/json-object.ts';
import type { CallAnswer, Registry } from '../../registry/contract/registry.ts';
import { allow, classify, deny } from '../calls/call-rules-actions.ts';
import { withBackend } from '../context/backend.ts';
import { type CommandModule, type CommandRun, print, runNamed, warn, wrongOption } from '../context/context.ts';
import { toNumber } from '../context/filter-options.ts';
import { oneLine } from '../terminal/text-width.ts';

/** More than any tool takes. */
const MAX_ARGUMENT_BYTES = 32 * 1024 * 1024;
/** A person reads on by scrolling. */
const MAX_TOKENS = 100_000;
const ACTIONS = ['status', 'stop', 'allow', 'deny', 'classify', 'preflight'];

function run(run: CommandRun): Promise<number> {
  const [first = '', ...rest] = run.args;
  if (!ACTIONS.includes(first)) return callTool(run, first, rest);
  return runNamed(run, 'call action', {
    status: () => status(run),
    stop: () => stop(run, rest[0]),
    allow: () => allow(run, rest[0]),
    deny: () => deny(run, rest[0]),
    classify: () => classify(run, rest[0]),
    preflight: () => preflight(run, rest),
  });
}

function callTool(run: CommandRun, path: string, pairs: readonly string[]): Promise<number> {
  const { options, signal } = run;
  return withBackend(run, { missing: 'refuse' }, async (backend) => {
    const request = stated({
      path,
      arguments: await argumentsOf(run, backend, path, pairs),
      definition: options.definition,
      session: options.session,
      max_tokens: numberOption('max-tokens', options.maxTokens, 'a number of tokens') ?? MAX_TOKENS,
      timeout_s: numberOption('timeout', options.timeout, 'a number of seconds'),
      read_only: options.readOnly,
    });
    if (options.dryRun === true) {
      const checked = await backend.checkCall(request);
      print(run, checked, () => {
        const { class: callClass, server, tool, starts, arguments: args, definition } = checked;
        return `${checked.path} (${callClass}, definition ${definition})\n  calls ${tool} of ${server}\n  starts ${starts}\n  with ${JSON.stringify(args)}\n`;
      });
      for (const note of [...checked.repairs, ...checked.warnings]) warn(run, note);
      return 0;
    }
    const answer = await backend.call(request, { signal });
    print(run, answer, () => textOf(answer));
    if (options.json !== true) for (const note of [...answer.call.repairs, ...answer.call.warnings]) warn(run, note);
    return answer.result.isError === true && options.ignoreToolError !== true ? 1 : 0;
  });
}

async function argumentsOf(
  run: CommandRun,
  backend: Pick<Registry, 'get'>,
  path: string,
  pairs: readonly string[],
): Promise<JsonObject> {
  const { args, argsFile } = run.options;
  if (args !== undefined) return parsed('args', String(args));
  if (argsFile !== undefined) {
    const text = argsFile === '-' ? await streamText(process.stdin) : await argumentFile(String(argsFile));
    return parsed('args-file', text);
  }
  if (pairs.length === 0) return {};
  const properties = await propertiesOf(backend, path);
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) {
        throw new DowserError('INVALID_REQUEST', `The argument '${pair}' is not name=value.`, {
          hint: 'For example: dowser call /github#get_issue number=3. Or use --args with JSON.',
        });
      }
      const name = pair.slice(0, at);
      return [name, typedValue(pair.slice(at + 1), properties[name])];
    }),
  );
}

async function argumentFile(file: string): Promise<string> {
  const { readTextFile } = await import('../../sources/fetch/read-document.ts');
  return readTextFile(file, MAX_ARGUMENT_BYTES);
}

function numberOption(flag: string, value: unknown, expected: string): number | undefined {
  if (value === undefined) return undefined;
  const number = toNumber(value);
  if (Number.isNaN(number)) throw wrongOption(flag, value, expected);
  return number;
}

/** The schema says whether `3` is a number or a text. */
async function propertiesOf(backend: Pick<Registry, 'get'>, path: string): Promise<JsonObject> {
  const entity = await backend.get('tool', path).then(
    (record) => record.entity,
    () => undefined,
  );
  const schema = entity?.type === 'tool' ? entity.inputSchema : undefined;
  return isJsonObject(schema?.properties) ? schema.properties : {};
}

function typedValue(text: string, schema: unknown): unknown {
  const type = isJsonObject(schema) ? schema.type : undefined;
  const types = Array.isArray(type) ? type : [type];
  if (types.includes('string')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function parsed(flag: string, text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Reported below.
  }
  throw wrongOption(flag, text, 'a JSON object');
}

function textOf({ result, call }: CallAnswer): string {
  const blocks = Array.isArray(result.content) ? result.content.filter(isJsonObject) : [];
  const lines = blocks.map((block) => {
    if (block.type === 'text') return String(block.text);
    const { data, mimeType, uri } = block;
    const size = typeof data === 'string' ? `, ${Math.floor((data.length * 3) / 4)} bytes` : '';
    return `[${String(block.type)} ${String(mimeType ?? uri ?? '')}${size}: see it with --json]`;
  });
  if (lines.length > 0) return `${lines.join('\n')}\n`;
  return result.structuredContent === undefined
    ? `${call.path} answered nothing.\n`
    : `${JSON.stringify(result.structuredContent, null, 2)}\n`;
}

function status(run: CommandRun): Promise<number> {
  return withBackend(run, { reads: true, missing: 'warn' }, async (backend) => {
    const upstreams = await backend.upstreams();
    print(run, { upstreams }, () => {
      if (upstreams.length === 0) return 'No server runs for calls.\n';
      const lines = upstreams.map(({ path, state, transport, pid, in_flight, calls, retry_after }) =>
        oneLine(
          `${path}  ${state}${retry_after === null ? '' : ` for ${retry_after} s`}  ${transport ?? ''}${pid === null ? '' : ` process ${pid}`}  ${calls} calls, ${in_flight} under way`,
        ),
      );
      return `${lines.join('\n')}\n`;
    });
    return 0;
  });
}

function stop(run: CommandRun, path: string | undefined): Promise<number> {
  return withBackend(run, { reads: true, missing: 'warn' }, async (backend) => {
    const ended = await backend.stopUpstreams(path);
    print(run, ended, () => `Ended ${ended.stopped} ${ended.stopped === 1 ? 'instance' : 'instances'}.\n`);
    return 0;
  });
}

function preflight(run: CommandRun, paths: readonly string[]): Promise<number> {
  if (paths.length === 0)
    throw new DowserError('INVALID_REQUEST', 'The tools are missing.', { hint: 'dowser call preflight <tool...>' });
  return withBackend(run, { missing: 'refuse' }, async (backend) => {
    const tools = await backend.preflight(paths);
    print(run, { tools }, () => {
      const lines = tools.map(({ path, class: callClass, signature, code, why }) =>
        oneLine(callClass === null ? `${path}  ${code}: ${why}` : `${path}  ${callClass}  ${signature}`),
      );
      return `${lines.join('\n')}\n`;
    });
    return tools.every(({ class: callClass }) => callClass !== null) ? 0 : 11;
  });
}

export const command: CommandModule = { run, graceful: true };
