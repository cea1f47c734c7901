/**
 * A small MCP server over standard input and output, for tests: `node mcp-fixture.mjs <definition.json>`. The definition is
 * read at every start, so that a test can change what the server says of itself between two connections.
 *
 * {"mode": "hang" | "crash" | "stubborn" | "greet" | "help" | "fetch" | "unpack", "name", "title", "instructions", "tools": [[page], ...],
 *  "prompts": [], "resources": [], "silent": "method without an answer", "echo_env": "NAME", "started": "file to write at the start",
 *  "parts": "file with a line for each part that was fetched", "part_count": 5}
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const definition = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { mode, name = 'fixture', title, instructions, tools = [[]], prompts = [], resources = [] } = definition;

if (definition.started !== undefined) writeFileSync(definition.started, '');
if (mode === 'crash') {
  const secret = process.env.FIXTURE_KEY;
  console.error(`cannot start: no license${secret === undefined ? '' : ` for ${secret}`}`);
  process.exit(3);
}
if (mode === 'stubborn') {
  // Ends neither with its input nor when it is asked to, and has a child that does not either.
  process.on('SIGTERM', () => {});
  const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"]);
  writeFileSync(definition.pids, JSON.stringify([process.pid, child.pid]));
  setInterval(() => {}, 1000);
}
if (mode === 'help') console.log('Usage: fixture <folder>\nServing on port 3000');
if (mode === 'fetch' || mode === 'unpack') {
  // Like npx on a cold cache: a part every 300 ms, and what a run before has fetched is still there.
  for (let part = done(); part < definition.part_count; part = done()) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (mode === 'fetch') console.error(`npm http fetch GET 200 http://127.0.0.1/part-${part} 300ms (cache miss)`);
    else writeFileSync(`${definition.parts}.data`, 'x'.repeat(100_000));
    appendFileSync(definition.parts, `part ${part}\n`);
  }
}
if (mode === 'greet') console.log('Welcome to the fixture server!');

function done() {
  return existsSync(definition.parts) ? readFileSync(definition.parts, 'utf8').split('\n').length - 1 : 0;
}

const page = (field, pages, cursor) => {
  const at = cursor === undefined ? 0 : Number(cursor);
  return { [field]: pages[at] ?? [], ...(at + 1 < pages.length ? { nextCursor: String(at + 1) } : {}) };
};

/** A variable as it is, in base64 and in hex. */
function echo(name) {
  const value = Buffer.from(process.env[name] ?? '');
  return ` ${value} ${value.toString('base64')} ${value.toString('hex')}`;
}
const echoed = definition.echo_env === undefined ? '' : echo(definition.echo_env);

function answer({ method, params = {} }) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {}, prompts: {}, resources: {} },
        serverInfo: { name, version: '1.2.3', ...(title === undefined ? {} : { title }) },
        ...(instructions === undefined ? {} : { instructions: `${instructions}${echoed}` }),
      };
    case 'tools/list':
      return page('tools', tools, params.cursor);
    case 'prompts/list':
      return page('prompts', [prompts], params.cursor);
    case 'resources/list':
      return page('resources', [resources], params.cursor);
    default:
      return undefined;
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined || mode === 'hang' || mode === 'help' || mode === 'stubborn') return;
  if (message.method === definition.silent) return;
  const result = answer(message);
  const reply = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply })}\n`);
});
