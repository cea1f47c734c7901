import type { Handlers, OperationResult } from '../../api/contract.ts';
import type { SkillBody, skillOperations } from '../../api/operations/skill-operations.ts';
import type { McpServer, StandaloneTool } from '../../model/entity.ts';
import { isManifest, needSkillFile } from '../../model/entity-parts/skill-files.ts';
import { isSkillName, MAX_SKILL_DESCRIPTION, MAX_SKILL_NAME } from '../../model/entity-parts/skill-format.ts';
import { DowserError } from '../../model/errors/errors.ts';
import { stated } from '../../model/json/json-object.ts';
import { showValue } from '../../model/parse/parse.ts';
import { skillMd } from '../../model/skill-md.ts';
import type { Registry, ScopedRegistry } from '../../registry/contract/registry.ts';
import { folded } from '../../registry/view/entity-view.ts';
import { readSkillFields, readSkillMd } from '../../sources/formats/skill-file.ts';
import { skillRecord } from '../../standards/gateway/skill-record.ts';
import { ratedEntities, recordsOf } from './rated-entities.ts';
import { fromWire, registeredPath, type WireFields } from './wire-record.ts';

/** `Bash(git:*)` names the tool Bash, and `mcp__github__get_me` the tool get_me. */
const toolName = (allowed: string): string =>
  allowed
    .replace(/\(.*$/s, '')
    .replace(/^mcp__.*?__/, '')
    .trim();

function refused(field: string, value: unknown, must: string): DowserError {
  return new DowserError('INVALID_REQUEST', `'${field}' of the skill is ${showValue(value)}: ${must}.`, { field });
}

/** The rules of the format, for a name and a description that were sent as fields. */
function checkFields({ name, description }: SkillBody): void {
  if (typeof name === 'string' && !isSkillName(name)) {
    throw refused('name', name, `must be lowercase words joined by hyphens, at most ${MAX_SKILL_NAME} characters`);
  }
  if (typeof description !== 'string') return;
  if (description.trim() === '' || description.length > MAX_SKILL_DESCRIPTION) {
    throw refused('description', description, `must have 1 to ${MAX_SKILL_DESCRIPTION} characters`);
  }
}

function skillFields({ content, ...body }: SkillBody): WireFields {
  checkFields(body);
  const own = fromWire(body, 'skill', 'a skill', { repository_url: 'repository' });
  if (content === null) return { ...own, fields: { ...own.fields, body: '' } };
  if (content === undefined) return own;
  const { name, description } = body;
  const read = readSkillFields(content, {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof description === 'string' ? { description } : {}),
  });
  const { type: _type, path: _path, ...file } = read.fields;
  const sent = Object.entries(file).filter(([, value]) => !(Array.isArray(value) && value.length === 0));
  return { fields: { ...Object.fromEntries(sent), ...own.fields }, warnings: [...read.warnings, ...own.warnings] };
}

function required(fields: WireFields['fields'], field: 'name' | 'description'): string {
  const value = fields[field];
  if (typeof value === 'string') return value;
  throw new DowserError('INVALID_REQUEST', `'${field}' of the skill is missing.`, {
    field,
    hint: `Send '${field}', or the whole SKILL.md as 'content'.`,
  });
}

const SKILLS = recordsOf(skillRecord);

/** `readSkill` reads the SKILL.md at an address. Default: nothing does. */
export function skillHandlers(
  registry: ScopedRegistry,
  readSkill: ((address: string) => Promise<string>) | undefined = undefined,
): Pick<Handlers, keyof typeof skillOperations> {
  const entities = ratedEntities(registry, 'skill', SKILLS);
  const { read, get, list, register, replace, patch, toggle, remove, rate, health, rating, duplicates } = entities;

  return {
    async registerSkill({ body: { overwrite, path, ...body } }) {
      const wire = skillFields(body);
      const name = required(wire.fields, 'name');
      required(wire.fields, 'description');
      return register(name, path === undefined ? `/skills/${name}` : registeredPath(path), wire, overwrite);
    },
    async parseSkillMd({ body: { content } }) {
      const { entity, warnings } = readSkillMd(content);
      const { name, description, path, tags, allowed_tools, metadata, body } = entity;
      return {
        status: 200,
        body: {
          name,
          description,
          path,
          version: entity.version ?? null,
          author: entity.author ?? null,
          license: entity.license ?? null,
          compatibility: entity.compatibility ?? null,
          tags,
          allowed_tools,
          metadata,
          body,
          warnings: [...warnings],
        },
      };
    },
    checkSkillDuplicates: ({ body }) => duplicates(body),
    async searchSkills({ query: { q, tags, include_draft, include_deprecated } }) {
      const found = await registry.searchSkills({ query: q, tags, include_draft, include_deprecated });
      const skills = found.map(({ entity, relevance_score }) => {
        const { path, name, description, visibility, is_enabled, status } = entity;
        return { path, name, description, tags: entity.tags, visibility, is_enabled, status, relevance_score };
      });
      return { status: 200, body: { query: q.trim(), skills, total_count: skills.length } };
    },
    async listSkills({ query: { include_disabled, tag, metadata_fields, ...query } }) {
      const filter = { ...query, enabled: include_disabled ? undefined : true, tags: tag === undefined ? tag : [tag] };
      const { records: skills, page } = await list(filter, { metadata_fields, toRecord: SKILLS });
      return { status: 200, body: { skills, ...page } };
    },
    async getSkillContent({ params, query: { resource } }) {
      const { entity } = await read(params.path);
      if (resource !== undefined && !isManifest(resource)) {
        const { content, encoding, digest, size } = needSkillFile(entity, resource, 'resource');
        const { path, name, skill_md_url = '' } = entity;
        return { status: 200, body: { path, name, content, url: skill_md_url, ...stated({ encoding }), digest, size } };
      }
      const address = entity.skill_md_raw_url ?? entity.skill_md_url;
      if (entity.body === '' && address !== undefined && readSkill !== undefined) {
        const { path, name, skill_md_url = address } = entity;
        return { status: 200, body: { path, name, content: await readSkill(address), url: skill_md_url } };
      }
      if (entity.body === '') {
        throw new DowserError('NOT_FOUND', `The text of the skill '${entity.path}' is not stored.`, {
          hint: entity.skill_md_url === undefined ? "Register it with 'content'." : `It is at ${entity.skill_md_url}.`,
        });
      }
      const { path, name, skill_md_url = '' } = entity;
      return { status: 200, body: { path, name, content: skillMd(entity), url: skill_md_url } };
    },
    async checkSkillTools({ params }) {
      const { entity } = await read(params.path);
      return { status: 200, body: await toolsOfSkill(registry, entity.allowed_tools) };
    },
    toggleSkill: ({ params, body }) => toggle(params.path, body.enabled),
    getSkillHealth: ({ params }) => health(params.path),
    rateSkill: ({ params, body }) => rate(params.path, body),
    getSkillRating: ({ params }) => rating(params.path),
    getSkill: get,
    async putSkill({ params, body }) {
      const wire = skillFields(body);
      required(wire.fields, 'name');
      required(wire.fields, 'description');
      // A read does not include the text, so a round trip must not delete it.
      return replace(params.path, wire, ({ body: kept, files }) => ({ body: kept, ...stated({ files }) }));
    },
    patchSkill: async ({ params, body }) => patch(params.path, skillFields(body)),
    deleteSkill: ({ params }) => remove(params.path),
  };
}

/** Which of the tools that a skill may use are registered and enabled. */
async function toolsOfSkill(
  registry: Registry,
  allowed: readonly string[],
): Promise<OperationResult<'checkSkillTools'>> {
  const owners = new Map<string, string>();
  for await (const { entity } of registry.all(['mcp_server', 'tool'])) {
    if (!entity.is_enabled) continue;
    if (entity.type === 'tool') owners.set(folded(entity.name), (entity as StandaloneTool).server_path ?? entity.path);
    else for (const { name } of (entity as McpServer).tools) owners.set(folded(name), entity.path);
  }
  const ownerOf = (name: string) => owners.get(folded(toolName(name)));
  const available = allowed.filter((name) => ownerOf(name) !== undefined);
  const missing = allowed.filter((name) => ownerOf(name) === undefined);
  return {
    all_available: missing.length === 0,
    available_tools: available,
    missing_tools: missing,
    mcp_servers_required: [...new Set(available.map((name) => ownerOf(name)!))].sort(),
  };
}
