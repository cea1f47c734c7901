import { createHash } from 'node:crypto';
import type { Skill as SkillEntry, SkillSource } from '@modelcontextprotocol/server/ext/skills';
import type { Skill } from '../model/entity.ts';
import { skillFrontMatter, skillMd } from '../model/skill-md.ts';
import type { Catalog } from './catalog.ts';
import { fileUri, listSkillPage, skillAt, skillFileAtUri, skillUri } from './skill-pages.ts';

const PAGE = 100;
/** The SDK has no pages for `resources/list`, so it lists the first skills only. `skills/list` has all. */
const MAX_RESOURCES = 100;
const MARKDOWN = 'text/markdown';

/** The registry's skills for the Skills extension: the SKILL.md of each and the files beside it, with their digests. */
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
      if (skill !== null) return { text: skillMd(skill), mimeType: MARKDOWN };
      const file = await skillFileAtUri(catalog, uri);
      if (file?.content === undefined) return undefined;
      return file.encoding === 'base64' ? { bytes: Buffer.from(file.content, 'base64') } : { text: file.content };
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
  const files = (skill.files ?? [])
    .filter(({ content }) => content !== undefined)
    .map((file) => ({ uri: fileUri(uri, file.path), digest: file.digest, size: file.size }));
  const resources = [{ uri, digest, size: bytes.byteLength }, ...files];
  return { uri, frontmatter: { ...skillFrontMatter(skill) }, resources };
}
