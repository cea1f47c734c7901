import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { BSON, Long } from 'bson';
import type { JsonObject } from '../../src/model/json/json-object.ts';

type Collections = Record<string, readonly JsonObject[]>;

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

/** What a server of MongoDB 7 says of itself. */
const HELLO = {
  ok: 1,
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  maxBsonObjectSize: 16 * 1024 * 1024,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  minWireVersion: 0,
  maxWireVersion: 21,
  readOnly: false,
};

/** A server that speaks as much of MongoDB's wire protocol as it takes to read collections with the official driver. */
export class MongoWireServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #cursors = new Map<string, readonly JsonObject[]>();
  #nextCursor = 1;
  /** By name. May change between two requests. */
  collections: Collections;
  /** The names of all commands that were asked, in order. */
  readonly commands: string[] = [];
  /** Called before each `find`, with the name of its collection. */
  onFind: (collection: string) => void = () => {};
  /** Commands with these names fail with this code. */
  readonly failures = new Map<string, number>();

  private constructor(collections: Collections) {
    this.collections = collections;
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      let rest = Buffer.alloc(0);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => socket.destroy());
      socket.on('data', (chunk) => {
        rest = Buffer.concat([rest, chunk]);
        while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
          const size = rest.readInt32LE(0);
          socket.write(this.#reply(rest.subarray(0, size)));
          rest = rest.subarray(size);
        }
      });
    });
  }

  static async open(collections: Collections): Promise<MongoWireServer> {
    const wire = new MongoWireServer(collections);
    await new Promise<void>((resolve) => wire.#server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #reply(message: Buffer): Buffer {
    const id = message.readInt32LE(4);
    const opcode = message.readInt32LE(12);
    if (opcode === OP_QUERY) {
      // Flags, the name of a collection, two numbers, the document.
      const at = message.indexOf(0, 20) + 1 + 8;
      const answer = BSON.serialize(this.#answer(BSON.deserialize(message.subarray(at))));
      const head = Buffer.alloc(20);
      head.writeInt32LE(1, 16);
      return framed(id, OP_REPLY, Buffer.concat([head, answer]));
    }
    // Flags, the kind of the section, the document.
    const answer = BSON.serialize(this.#answer(BSON.deserialize(message.subarray(21))));
    return framed(id, OP_MSG, Buffer.concat([Buffer.alloc(5), answer]));
  }

  #answer(command: JsonObject): JsonObject {
    const [name = ''] = Object.keys(command);
    this.commands.push(name);
    const code = this.failures.get(name);
    if (code !== undefined) return { ok: 0, code, codeName: 'Refused', errmsg: `${name} is refused` };
    switch (name) {
      case 'hello':
      case 'ismaster':
      case 'isMaster':
        return HELLO;
      case 'listCollections': {
        const firstBatch = Object.keys(this.collections).map((collection) => ({
          name: collection,
          type: 'collection',
        }));
        return { ok: 1, cursor: { id: Long.ZERO, ns: `${command.$db}.$cmd.listCollections`, firstBatch } };
      }
      case 'find': {
        this.onFind(String(command.find));
        const documents = [...(this.collections[String(command.find)] ?? [])].sort(byId);
        const batch = this.#batch(documents, Number(command.batchSize ?? 101));
        return { ok: 1, cursor: { ns: `${command.$db}.${command.find}`, id: batch.id, firstBatch: batch.documents } };
      }
      case 'getMore': {
        const cursor = String(command.getMore);
        const left = this.#cursors.get(cursor);
        this.#cursors.delete(cursor);
        if (left === undefined) return { ok: 0, code: 43, codeName: 'CursorNotFound', errmsg: 'cursor not found' };
        const batch = this.#batch(left, Number(command.batchSize ?? 101));
        return {
          ok: 1,
          cursor: { ns: `${command.$db}.${command.collection}`, id: batch.id, nextBatch: batch.documents },
        };
      }
      case 'ping':
      case 'killCursors':
      case 'endSessions':
        return { ok: 1 };
      default:
        return { ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: `no such command: '${name}'` };
    }
  }

  #batch(documents: readonly JsonObject[], size: number) {
    const left = documents.slice(size);
    if (left.length === 0) return { id: Long.ZERO, documents };
    const id = this.#nextCursor++;
    this.#cursors.set(String(id), left);
    return { id: Long.fromNumber(id), documents: documents.slice(0, size) };
  }
}

const byId = (a: JsonObject, b: JsonObject): number => (String(a._id) < String(b._id) ? -1 : 1);

function framed(id: number, opcode: number, body: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeInt32LE(16 + body.length, 0);
  head.writeInt32LE(id, 8);
  head.writeInt32LE(opcode, 12);
  return Buffer.concat([head, body]);
}
