import { type Entity, type EntityInput, parseEntity } from '../../src/model/entity.ts';
import type { Unit } from '../../src/model/entity-parts/unit.ts';
import { unitsOf } from '../../src/model/entity-types/table.ts';
import { HiddenLots } from './hidden-lots.ts';
import { Random } from './random.ts';
import { DIMENSIONS, VectorSpace } from './vector-space.ts';
import { type Topic, Vocabulary } from './vocabulary.ts';

/** One row for a peer to index: the very text that Dowser indexes for the unit, in two fields. */
export interface BenchUnit {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  /** False: its entity is a draft, deprecated or disabled, and no answer may have it. */
  readonly live: boolean;
}

export interface BenchQuery {
  /** Two to six words; no two queries of a corpus have the same. */
  readonly text: string;
  readonly vector: Float32Array;
}

export interface Corpus {
  readonly entities: readonly Entity[];
  /** In the order of `unitsOf` over `entities`; the vector of unit i starts at i * DIMENSIONS. */
  readonly units: readonly BenchUnit[];
  readonly vectors: Float32Array;
  readonly queries: readonly BenchQuery[];
}

export interface CorpusSettings {
  /** How many units there are in all, exactly. */
  readonly units: number;
  readonly queries: number;
  readonly seed: number;
}

/** A few hundred in a large corpus; fewer in a small one, so that every topic has several entities. */
const MAX_TOPICS = 300;
const UNITS_PER_TOPIC = 50;

/** Of all entities: the rest are servers, which bring most of the units with their tools. */
const TOOL_SHARE = 0.4;
const DOCUMENT_SHARE = 0.35;

/** A deterministic catalog of servers with tools, stand-alone tools and documents, with vectors and questions. */
export function generateCorpus({ units: wanted, queries: queryCount, seed }: CorpusSettings): Corpus {
  const random = new Random(seed);
  const topics = Math.min(MAX_TOPICS, Math.ceil(wanted / UNITS_PER_TOPIC));
  const vocabulary = new Vocabulary(random, topics);
  const space = new VectorSpace(random, topics);
  const lots = new HiddenLots(seed, topics);
  const entities: Entity[] = [];
  const units: BenchUnit[] = [];
  const topicOfUnit: number[] = [];
  const vectors = new Float32Array(wanted * DIMENSIONS);
  while (units.length < wanted) {
    const topic = random.between(0, topics - 1);
    const room = wanted - units.length;
    const invented = inventEntity(random, vocabulary, vocabulary.topics[topic]!, entities.length, room);
    const hidden = lots.draw(topic);
    const entity: Entity = { ...invented, ...hidden };
    const owner = space.owner(random);
    entities.push(entity);
    for (const unit of unitsOf(entity)) {
      const start = units.length * DIMENSIONS;
      space.member(random, topic, owner, vectors.subarray(start, start + DIMENSIONS));
      units.push(toRow(unit, hidden === null));
      topicOfUnit.push(topic);
    }
  }
  const queries: BenchQuery[] = [];
  const asked = new Set<string>();
  while (queries.length < queryCount) {
    const about = random.between(0, wanted - 1);
    const topic = vocabulary.topics[topicOfUnit[about]!]!;
    const text = vocabulary.question(random, topic);
    if (asked.has(text)) continue;
    asked.add(text);
    const start = about * DIMENSIONS;
    queries.push({ text, vector: space.question(random, vectors.subarray(start, start + DIMENSIONS)) });
  }
  return { entities, units, vectors, queries };
}

/** An entity with at most `room` units. */
function inventEntity(random: Random, vocabulary: Vocabulary, topic: Topic, no: number, room: number): Entity {
  const kind = random.unit();
  const tags = Array.from({ length: random.between(1, 4) }, () => vocabulary.topicWord(random, topic));
  const path = `/${vocabulary.topicWord(random, topic)}-${no}`;
  if (kind < TOOL_SHARE) {
    return checked({ type: 'tool', path, tags, ...inventTool(random, vocabulary, topic) });
  }
  if (kind < TOOL_SHARE + DOCUMENT_SHARE) {
    const name = Array.from({ length: random.between(2, 5) }, () => vocabulary.word(random, topic)).join(' ');
    return checked({
      type: 'document',
      path,
      tags,
      name,
      body: vocabulary.prose(random, topic, random.between(15, 40)),
    });
  }
  const toolCount = Math.min(random.between(3, 9), room - 1);
  const tools = new Map<string, ReturnType<typeof inventTool>>();
  while (tools.size < toolCount) {
    const tool = inventTool(random, vocabulary, topic);
    tools.set(tool.name, tool);
  }
  const name = `${vocabulary.topicWord(random, topic)} ${vocabulary.topicWord(random, topic)}`;
  const description = vocabulary.prose(random, topic, random.between(8, 22));
  return checked({ type: 'mcp_server', path, tags, name, description, tools: [...tools.values()] });
}

function inventTool(random: Random, vocabulary: Vocabulary, topic: Topic) {
  const properties = Object.fromEntries(
    Array.from({ length: random.between(1, 3) }, () => [
      vocabulary.topicWord(random, topic),
      { type: 'string', description: vocabulary.prose(random, topic, random.between(1, 3)) },
    ]),
  );
  return {
    name: vocabulary.toolName(random, topic),
    description: vocabulary.prose(random, topic, random.between(8, 22)),
    inputSchema: { type: 'object', properties },
  };
}

function checked(entity: EntityInput): Entity {
  return parseEntity(entity).entity;
}

function toRow(unit: Unit, live: boolean): BenchUnit {
  const { name = '', ...rest } = unit.fields;
  return { id: unit.id, name, text: Object.values(rest).join('\n'), live };
}
