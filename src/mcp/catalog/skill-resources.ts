import { createHash } from 'node:crypto';
import type { McpServer, Resource } from '@modelcontextprotocol/server';
import {
  SKILLS_EXTENSION_ID,
  type Skill as SkillEntry,
  type SkillSource,
} from '@modelcontextprotocol/server/ext/skills';
import type { Skill } from '../../model/entity.ts';
import { textWarnings } from '../../model/prompt-scan/prompt-like.ts';
import { skillFrontMatter, skillMd } from '../../model/skill-md.ts';
import type { Catalog } from './catalog.ts';
import { CatalogReading } from './catalog-reading.ts';
import { pageAt, refuseCursor } from './lists.ts';
import { fileUri, listSkillPage, skillAt, skillFileAtUri, skillUri } from './skill-pages.ts';

const PAGE = 100;
const MARKDOWN = 'text/markdown';
/** An edit of a skill changes no count. It shows after this time at the latest, which is how long clients may keep a list. */
const MAX_AGE_MS = 60_000;

/** The registry's skills for the Skills extension: the SKILL.md of each and the files beside it, with their digests. */
export function skillSource(catalog: Catalog): SkillSource {
  return {
    async list({ cursor }) {
      const page = await pageAt(() => listSkillPage(catalog, PAGE, cursor));
      const skills = entriesOf(page.skills);
      return page.cursor === undefined ? { skills } : { skills, nextCursor: page.cursor };
    },
    async get(uri) {
      const skill = await skillAt(catalog, uri);
      return skill === null ? undefined : entryOf(skill, uri);
    },
    async read(uri) {
      const skill = await skillAt(catalog, uri);
      if (skill !== null) return { text: skillMd(skill), mimeType: MARKDOWN };
      const file = await skillFileAtUri(catalog, uri);
      if (file?.content === undefined) return undefined;
      return file.encoding === 'base64' ? { bytes: Buffer.from(file.content, 'base64') } : { text: file.content };
    },
  };
}

/** Serves the skills as resources, page by page. The library has no pages for `resources/list`. */
export function serveSkillResources(server: McpServer, catalog: Catalog): void {
  server.server.setRequestHandler('resources/list', async ({ params }) => {
    const { skills, cursor } = await pageAt(() => listSkillPage(catalog, PAGE, params?.cursor));
    const resources = entriesOf(skills).map(toResource);
    const warnings = textWarnings('This list', resources);
    return {
      resources,
      ...(cursor === undefined ? {} : { nextCursor: cursor }),
      ...(warnings.length === 0 ? {} : { _meta: { 'dowser/warnings': warnings } }),
    };
  });
  server.server.setRequestHandler('resources/templates/list', ({ params }) => {
    refuseCursor(params);
    return { resourceTemplates: [{ name: SKILLS_EXTENSION_ID, uriTemplate: 'skill://{+path}' }] };
  });
}

function toResource({ uri, frontmatter: { name, description }, resources }: SkillEntry): Resource {
  const size = resources === 'dynamic' ? {} : { size: resources[0]!.size };
  return { uri, name, description, mimeType: MARKDOWN, ...size };
}

/** A digest of what the lists of skills show. It changes when they do. */
export class SkillListing extends CatalogReading {
  constructor(catalog: Catalog, now?: () => number) {
    super(catalog, () => digestOfSkills(catalog), MAX_AGE_MS, now);
  }
}

async function digestOfSkills(catalog: Catalog): Promise<string> {
  const hash = createHash('sha256');
  let cursor: string | undefined;
  do {
    const page = await listSkillPage(catalog, PAGE, cursor);
    for (const entry of entriesOf(page.skills)) hash.update(JSON.stringify(entry));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return hash.digest('hex');
}

/** Two spellings of a path may share a URI. The first one is served. */
function entriesOf(skills: readonly Skill[]): SkillEntry[] {
  const entries = new Map<string, SkillEntry>();
  for (const skill of skills) {
    const uri = skillUri(skill);
    if (uri !== null && !entries.has(uri)) entries.set(uri, entryOf(skill, uri));
  }
  return [...entries.values()];
}

function entryOf(skill: Skill, uri: string): SkillEntry {
  const bytes = Buffer.from(skillMd(skill), 'utf8');
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const files = (skill.files ?? [])
    .filter(({ content }) => content !== undefined)
    .map((file) => ({ uri: fileUri(uri, file.path), digest: file.digest, size: file.size }));
  const resources = [{ uri, digest, size: bytes.byteLength }, ...files];
  return { uri, frontmatter: { ...skillFrontMatter(skill) }, resources };
}
