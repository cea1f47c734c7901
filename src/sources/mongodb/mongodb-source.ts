import { partialGroups, planGrant } from '../../access/plan-grants.ts';
import type { GroupGrants } from '../../access/scope-documents.ts';
import { DowserError, toDowserError } from '../../model/errors/errors.ts';
import type { JsonObject } from '../../model/json/json-object.ts';
import type { Locator, Source, SourceItem } from '../source.ts';
import { chooseNamespace, type EntityCollection, type NamedCollection, namedCollection } from './collections.ts';
import { RECORD_READERS, type RegistryEntity } from './entity-records.ts';
import { type AccountedField, FieldAccount } from './field-account.ts';
import type { GatewayDatabase } from './gateway-database.ts';
import { hasChanged, type Survey, surveyDatabase, Tally, versionIn } from './survey.ts';
import { textValue } from './values.ts';

/** What a reading found out beside the entities. */
export interface GatewayAccount {
  readonly collections: readonly {
    readonly name: string;
    /** Null for a collection that was not read. */
    readonly documents: number | null;
    /** Why it was not read. */
    readonly why: string | null;
  }[];
  readonly fields: readonly AccountedField[];
  /** What the groups of the scope documents may do. Null without scope documents. */
  readonly grants: GroupGrants | null;
  /** Registries that it is connected with. */
  readonly peers: readonly string[];
  /** For people: what to look at. */
  readonly notes: readonly string[];
}

export interface GatewaySource extends Source {
  /** Of the last complete reading. Null before. */
  account(): GatewayAccount | null;
}

export interface GatewaySpec {
  readonly open: () => Promise<GatewayDatabase>;
  readonly locator: Locator;
  readonly title: string;
  /** Which registry of the database. Default: the only one. */
  readonly namespace?: string | undefined;
}

const COLLECTIONS = Object.keys(RECORD_READERS) as readonly EntityCollection[];

/**
 * The servers, agents, skills and virtual servers of an MCP gateway registry, from its database. Nobody may read more of them
 * than there: the scope documents narrow each, and without them all are private. Blocked tools, credentials and what looks like
 * a secret stay out.
 */
export function mongodbSource({ open, locator, title, namespace: wanted }: GatewaySpec): GatewaySource {
  let done: GatewayAccount | null = null;
  const listed = new Set<string>();
  return {
    kind: 'mongodb',
    live: false,
    directory: true,
    locator: wanted === undefined ? locator : { ...locator, registry_namespace: wanted },
    title,
    account: () => done,
    isGone: (part) => listed.has(part.slice(0, part.indexOf(':'))),
    async *read(signal): AsyncGenerator<SourceItem> {
      done = null;
      listed.clear();
      const database = await open();
      try {
        const all = (await database.collections(signal)).map(namedCollection);
        const namespace = chooseNamespace(all, wanted);
        const ours = all.filter((one) => one.namespace === namespace || one.why !== null);
        const reading = new Reading(database, await surveyed(database, ours, signal));
        for (const base of COLLECTIONS) {
          const collection = ours.find((one) => one.base === base && one.namespace === namespace);
          if (collection === undefined) continue;
          yield* reading.items(base, collection.name, signal);
          listed.add(base);
        }
        done = reading.account(ours);
      } finally {
        await database.close();
      }
    },
  };
}

interface Surveyed {
  readonly survey: Survey;
  readonly fields: FieldAccount;
}

async function surveyed(
  database: GatewayDatabase,
  collections: readonly NamedCollection[],
  signal: AbortSignal,
): Promise<Surveyed> {
  const fields = new FieldAccount();
  return { survey: await surveyDatabase(database, collections, fields, signal), fields };
}

/** One reading of a database, after its survey. */
class Reading {
  readonly #database: GatewayDatabase;
  readonly #survey: Survey;
  readonly #fields: FieldAccount;
  readonly #notes = new Map<string, number>();

  constructor(database: GatewayDatabase, { survey, fields }: Surveyed) {
    this.#database = database;
    this.#survey = survey;
    this.#fields = fields;
    if (survey.grants === null) {
      this.#note('There are no scope documents that say who may read, so everything is private. Include mcp_scopes.');
    }
  }

  #note(text: string): void {
    this.#notes.set(text, (this.#notes.get(text) ?? 0) + 1);
  }

  async *items(base: EntityCollection, name: string, signal: AbortSignal): AsyncGenerator<SourceItem> {
    const tally = new Tally();
    const paths = new Set<string>();
    const versions = new Set(base === 'mcp_servers' ? this.#survey.versions.keys() : []);
    for await (const document of this.#database.documents(name, signal)) {
      tally.add(document);
      // It comes with its server.
      if (base === 'mcp_servers' && versionIn(document) !== undefined) continue;
      const item = this.#itemOf(base, document, paths);
      if ('entity' in item) versions.delete(String(item.entity.path));
      yield item;
    }
    for (const path of versions) {
      yield {
        part: `${base}:${path}`,
        skipped: 'The database has versions of this server, but not the server itself.',
      };
    }
    if (hasChanged(this.#survey, base, tally.end())) {
      this.#note(`The collection ${name} has changed while it was read. Read it again.`);
    }
  }

  #itemOf(base: EntityCollection, document: JsonObject, paths: Set<string>): SourceItem {
    const part = `${base}:${textValue(document._id) ?? ''}`;
    try {
      const { entity: server, updatedAt, warnings } = this.#read(base, document);
      const { path } = server;
      if (path === undefined) throw new DowserError('INVALID_FILE', 'The document has no path: _id is not text.');
      if (paths.has(path)) throw new DowserError('DUPLICATE_PATH', `Another document has the path ${path}, too.`);
      paths.add(path);
      const others = base === 'mcp_servers' ? (this.#survey.versions.get(path) ?? []) : [];
      const read = others.map((version) => this.#read(base, version).entity);
      // Who sees the server sees its versions.
      const tools = [server, ...read].flatMap(toolsOf);
      const entity = this.#narrowed(server, tools);
      const versions = read.map((version) => this.#narrowed(version, tools));
      return {
        part,
        entity,
        warnings,
        ...(updatedAt === undefined ? {} : { updatedAt }),
        ...(base === 'mcp_servers' ? { versions } : {}),
      };
    } catch (thrown) {
      return { part, problem: toDowserError(thrown) };
    }
  }

  #read(base: EntityCollection, document: JsonObject) {
    const { blocked } = this.#survey;
    const record = RECORD_READERS[base]({
      document,
      blockedOf: (path) => blocked.get(path) ?? NONE,
      tell: (field, fate) => this.#fields.add(base, field, fate),
    });
    if (document.is_enabled === undefined) this.#note(`A document of ${base} has no is_enabled. It is disabled here.`);
    if (base === 'agent_skills' && record.entity.body === undefined) {
      this.#note('A skill has only the address of its text. `dowser add --replace` with that address reads it.');
    }
    return record;
  }

  /** With no more readers than the scope documents give it. `tools` are those that its readers see. */
  #narrowed(entity: RegistryEntity, tools: ReturnType<typeof toolsOf>): RegistryEntity {
    const { grants } = this.#survey;
    if (grants === null) return { ...entity, visibility: 'private', allowed_groups: [] };
    const granted = { ...entity, path: entity.path ?? '', tools };
    for (const group of partialGroups(grants, granted)) {
      this.#note(
        `The group '${group}' may use some tools of ${entity.path} only, so it does not see ${entity.path} here.`,
      );
    }
    const change = planGrant(grants, granted, { unmentioned: 'private' });
    return change === null
      ? entity
      : { ...entity, visibility: change.visibility, allowed_groups: change.allowed_groups };
  }

  account(collections: readonly NamedCollection[]): GatewayAccount {
    const { tallies, grants, peers } = this.#survey;
    return {
      collections: collections.map(({ name, base, why }) => ({
        name,
        documents: why === null ? (tallies.get(base)?.documents ?? 0) : null,
        why,
      })),
      fields: this.#fields.lines(),
      grants,
      peers,
      notes: [...this.#notes].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`)),
    };
  }
}

const toolsOf = ({ tools }: RegistryEntity) => (tools ?? []) as readonly { readonly name: string }[];
const NONE: ReadonlySet<string> = new Set();
