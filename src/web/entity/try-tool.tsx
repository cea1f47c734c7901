import { useContext, useState } from 'preact/hooks';
import { AccessContext } from '../access/access.ts';
import { api, type OperationResult } from '../data/api.ts';
import { isObject } from '../data/json.ts';
import { useAction, useLoad } from '../data/use-load.ts';
import { CodeBlock } from '../parts/code-block.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { TextField } from '../parts/field.tsx';
import { fieldsOf } from '../parts/schema-fields.ts';
import { Warnings } from '../parts/warnings.tsx';

interface TryToolProps {
  /** `/server#tool`. */
  readonly path: string;
  readonly schema: unknown;
}

/** Calls a tool that only reads, from a page on the machine itself. Nothing is shown for any other tool. */
export function TryTool({ path, schema }: TryToolProps) {
  const canTry = useContext(AccessContext)?.canTry === true && path.includes('#');
  const { value } = useLoad(`${canTry} ${path}`, async (signal) =>
    canTry ? (await api.preflightCalls({ body: { paths: [path] } }, { signal })).tools[0] : undefined,
  );
  return value?.class === 'read' ? <TryForm path={value.path} schema={schema} /> : null;
}

type Answer = OperationResult<'callTool'>;

function TryForm({ path, schema }: TryToolProps) {
  const [text, setText] = useState(() => template(schema));
  const [answer, setAnswer] = useState<Answer>();
  const call = useAction(async () => {
    setAnswer(undefined);
    setAnswer(await api.callTool({ body: { path, arguments: parsed(text), read_only: true } }));
  });
  const submit = (event: Event) => {
    event.preventDefault();
    call.run();
  };
  return (
    <form class="stack" aria-label="Try it" onSubmit={submit}>
      <h3>Try it</h3>
      <TextField label="Arguments, as JSON" value={text} onType={setText} />
      <div class="row">
        <button type="submit" disabled={call.isRunning}>
          {call.isRunning ? 'Calling…' : 'Call the tool'}
        </button>
        <span class="quiet">It only reads, says its publisher.</span>
      </div>
      <FailureNote failure={call.failure} />
      {answer !== undefined && <Shown answer={answer} />}
    </form>
  );
}

function Shown({ answer: { result, call } }: { readonly answer: Answer }) {
  const blocks = Array.isArray(result.content) ? result.content.filter(isObject) : [];
  return (
    <section class="stack" aria-label="Answer" aria-live="polite">
      {result.isError === true && <p class="badge bad">The tool reports an error.</p>}
      <Warnings list={call.warnings} />
      {blocks.map((block, at) => (
        <Block key={String(at)} block={block} />
      ))}
      {blocks.length === 0 && <CodeBlock text={JSON.stringify(result.structuredContent ?? null, null, 2)} />}
      <p class="quiet">{`${call.ms} ms${call.start_ms > 0 ? `, and ${call.start_ms} ms to start its server` : ''}`}</p>
    </section>
  );
}

/** Text is shown as text. Anything else is only named: no page shows what a tool sends. */
function Block({ block }: { readonly block: Readonly<Record<string, unknown>> }) {
  if (block.type === 'text') return <CodeBlock text={String(block.text)} />;
  const kind = [block.type, block.mimeType ?? block.uri].filter((part) => typeof part === 'string').join(', ');
  return <p class="quiet">{kind}</p>;
}

/** An object with the required arguments, to be filled in. */
function template(schema: unknown): string {
  const required = fieldsOf(schema).filter(({ isRequired }) => isRequired);
  const empty = { string: '', number: 0, integer: 0, boolean: false, array: [], object: {} };
  const emptyOf = (type: unknown) => (empty as Readonly<Record<string, unknown>>)[String(type)] ?? null;
  const given = required.map(({ name, schema: field }) => [name, field.default ?? emptyOf(field.type)]);
  return JSON.stringify(Object.fromEntries(given), null, 2);
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  let value: unknown = {};
  try {
    if (text.trim() !== '') value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (isObject(value)) return value;
  throw Object.assign(new Error('The arguments must be a JSON object.'), { code: 'INVALID_ARGUMENTS' });
}
