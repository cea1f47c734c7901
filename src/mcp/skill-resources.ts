import { createHash } from 'node:crypto';
import type { Skill as SkillEntry, SkillSource } from '@modelcontextprotocol/server/ext/skills';
import type { Skill } from '../model/entity.ts';
import { skillFrontMatter, skillMd } from '../model/skill-md.ts';
import type { Catalog } from './catalog.ts';
import { listSkillPage, skillAt, skillUri } from './skill-pages.ts';

const PAGE = 100;
/** The SDK has no pages for `resources/list`, so it lists the first skills only. `skills/list` has all. */
const MAX_RESOURCES = 100;
const MARKDOWN = 'text/markdown';

/** The registry's skills for the Skills extension. Each has one file, its SKILL.md, with a digest. */
export function skillSource(catalog: Catalog): SkillSource {
  return {
    async list({ cursor }) {
      const page = await listSkillPage(catalog, PAGE, cursor);
      const skills = entriesOf(page.skills);
      return page.cursor === undefined ? { skills } : { skills, nextCursor: page.cursor };
    },
    async get(uri) {
      const skill = await skillAt(catalog, uri);
      return skill === null ? undefined : entryOf(skill, uri);
    },
    async read(uri) {
      const skill = await skillAt(catalog, uri);
      return skill === null ? undefined : { text: skillMd(skill), mimeType: MARKDOWN };
    },
    async listResources() {
      const { skills } = await listSkillPage(catalog, MAX_RESOURCES);
      return entriesOf(skills).map(({ uri, frontmatter: { name, description }, resources }) => ({
        uri,
        name,
        description,
        mimeType: MARKDOWN,
        ...(resources === 'dynamic' ? {} : { size: resources[0]!.size }),
      }));
    },
  };
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
  return { uri, frontmatter: { ...skillFrontMatter(skill) }, resources: [{ uri, digest, size: bytes.byteLength }] };
}
