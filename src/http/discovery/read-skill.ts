import { readSkillMd } from '../../sources/formats/skill-file.ts';
import { fetchDocument, unreachable } from '../../sources/read-document.ts';
import { readAllowed } from './allowed-address.ts';
import type { CardReader } from './pull-card.ts';

/**
 * The text of the SKILL.md at an address. Throws FORBIDDEN for a private address, and SOURCE_UNREACHABLE or INVALID_FILE where
 * there is no SKILL.md: a caller chooses the address, and must not read files of any kind through this server.
 */
export async function readRemoteSkill(address: string, reader: CardReader): Promise<string> {
  return readAllowed(address, reader.allowPrivate, async () => {
    const { status, text } = await fetchDocument(address, reader);
    if (status !== 200) throw unreachable(address, `answers with status ${status}`);
    readSkillMd(text);
    return text;
  });
}
