import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Random, randomOf } from '../random.ts';

export interface RawReport {
  readonly connections: number;
  /** How many answers had each status; one connection may have several. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/** What a connection sends, in pieces with a pause between. */
type Pieces = readonly (string | Buffer)[];

interface Script {
  readonly name: string;
  readonly pieces: Pieces;
  readonly maxOpenMs: number;
}

const AT_ONCE = 100;
/** How long a connection waits for an answer, and for none. */
const MAX_ANSWER_MS = 5000;
const MAX_UNFINISHED_MS = 400;
const LOOK_MS = 10;
const PAUSE_MS = 20;

const JSON_HEAD = 'Host: localhost\r\nContent-Type: application/json\r\n';
const SEARCH = `POST /api/search/semantic HTTP/1.1\r\n${JSON_HEAD}`;
const BODY = '{"query":"mail"}';
const GET = 'GET /api/version HTTP/1.1\r\nHost: localhost\r\n\r\n';

type ScriptMaker = (random: Random) => Pieces;

/** Nothing answers these until a time limit ends them. */
const UNFINISHED: Readonly<Record<string, ScriptMaker>> = {
  nothing: () => [],
  'half a head': (random) => [GET.slice(0, random.int(GET.length))],
  'half a body': (random) => [`${SEARCH}Content-Length: 9000\r\n\r\n${BODY.slice(0, random.int(BODY.length))}`],
  'a length that is never sent': () => [`${SEARCH}Content-Length: 9000000\r\n\r\n{`],
  'chunks without an end': () => [`${SEARCH}Transfer-Encoding: chunked\r\n\r\n`, `10\r\n${BODY}\r\n`],
  'a slow head': () => [...GET],
  'a slow body': () => [`${SEARCH}Content-Length: ${BODY.length}\r\n\r\n`, ...BODY],
};

/** What careless, broken and hostile clients send, and what must be answered or refused. */
const FINISHED: Readonly<Record<string, ScriptMaker>> = {
  noise: (random) => [Buffer.from(Array.from({ length: 1 + random.int(2000) }, () => random.int(256)))],
  'noise in a head': (random) => [`GET / HTTP/1.1\r\n${String.fromCharCode(random.int(256)).repeat(50)}\r\n\r\n`],
  'many requests at once': (random) => [GET.repeat(1 + random.int(10))],
  'searches at once': (random) => [`${SEARCH}Content-Length: ${BODY.length}\r\n\r\n${BODY}`.repeat(1 + random.int(5))],
  'a body longer than its length': () => [`${SEARCH}Content-Length: 5\r\n\r\n${BODY}`],
  'a length that is no number': (random) => [
    `${SEARCH}Content-Length: ${random.pick(['-1', 'x', '1e9', '0x10', '99999999999999999999'])}\r\n\r\n${BODY}`,
  ],
  'two lengths': () => [`${SEARCH}Content-Length: 5\r\nContent-Length: 16\r\n\r\n${BODY}`],
  'a length and chunks': () => [
    `${SEARCH}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n${BODY}\r\n0\r\n\r\n`,
  ],
  'bad chunks': (random) => [
    `${SEARCH}Transfer-Encoding: chunked\r\n\r\n${random.pick(['zz', '-1', '5\r\n{'])}\r\n${BODY}\r\n`,
  ],
  'too many headers': () => [`GET / HTTP/1.1\r\nHost: localhost\r\n${'X-A: b\r\n'.repeat(4000)}\r\n`],
  'a long header': (random) => [`GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ${'b'.repeat(random.int(100_000))}\r\n\r\n`],
  'a long address': (random) => [`GET /${'a'.repeat(random.int(50_000))} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  'a strange address': (random) => [`GET ${random.pick(ADDRESSES)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  'a strange method': (random) => [`${random.pick(METHODS)} / HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  'an old protocol': (random) => [`GET /api/version HTTP/${random.pick(['0.9', '1.0', '2.0', '3'])}\r\n\r\n`],
  'an upgrade': () => ['GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  'no host': () => ['GET /api/version HTTP/1.1\r\n\r\n'],
  'the start of TLS': () => [Buffer.from('16030100c8010000c40303', 'hex')],
  'a body that waits to be asked for': () => [
    `${SEARCH}Expect: 100-continue\r\nContent-Length: ${BODY.length}\r\n\r\n`,
  ],
};

const ADDRESSES = ['*', 'x', '//', '/%zz', '/%00', '/api/entities/tool/%ff', 'http://127.0.0.1/api/version'];
const METHODS = ['CONNECT', 'TRACE', 'PROPFIND', 'get', 'X'.repeat(100)];

/** Opens so many connections, some hundred at a time, and closes or resets each after a moment. */
export async function rawConnections(port: number, connections: number, seed: number): Promise<RawReport> {
  const statuses: Record<string, number> = {};
  const problems: string[] = [];
  let opened = 0;
  const client = async () => {
    while (opened < connections) {
      const number = opened++;
      const random = randomOf(seed + number);
      const script = scriptOf(random);
      const received = await talk(port, script, random);
      for (const [, status] of received.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
        statuses[status!] = (statuses[status!] ?? 0) + 1;
        // 505 is Node's own answer to a protocol that it does not speak.
        if (status! >= '500' && status !== '505')
          problems.push(`--seed ${seed + number}: ${script.name}: ${received.slice(0, 300)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, connections) }, client));
  return { connections: opened, statuses, problems };
}

function scriptOf(random: Random): Script {
  const isFinished = random.chance(0.7);
  const scripts = isFinished ? FINISHED : UNFINISHED;
  const name = random.pick(Object.keys(scripts));
  // Some leave before the answer.
  const isPatient = isFinished && random.chance(0.8);
  const maxOpenMs = isPatient ? MAX_ANSWER_MS : random.int(MAX_UNFINISHED_MS);
  return { name, pieces: scripts[name]!(random), maxOpenMs };
}

/** Sends the pieces, waits for the first bytes of an answer, and returns what the server sent. */
async function talk(port: number, { pieces, maxOpenMs }: Script, random: Random): Promise<string> {
  let received = '';
  let isClosed = false;
  const socket: Socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  socket.setEncoding('latin1').on('data', (part: string) => {
    received += part;
  });
  const until = Date.now() + maxOpenMs;
  for (const [n, piece] of pieces.entries()) {
    if (n > 0) await wait(PAUSE_MS);
    if (isClosed || (n > 0 && Date.now() > until)) break;
    socket.write(piece);
  }
  while (!isClosed && received === '' && Date.now() < until) await wait(LOOK_MS);
  if (random.chance(0.5)) socket.resetAndDestroy();
  else socket.destroy();
  return received;
}
