import { fetchDocument, unreachable } from '../../sources/fetch/read-document.ts';
import { readSkillMd } from '../../sources/formats/skill-file.ts';
import { readAllowed } from './allowed-address.ts';
import type { CardReader } from './pull-card.ts';

/** Within this time, the text that was read is the answer. */
export const FRESH_MS = 5 * 60_000;
/** An address that fails is asked again after this time. */
export const FAILED_MS = 10_000;

const MAX_TEXTS = 200;
const MAX_CHARS = 8_000_000;

interface Kept {
  readonly text: Promise<string>;
  /** In characters; 0 until it has been read. */
  chars: number;
  /** The text, and what the host calls this state of it. Null until it has been read, and where the host names none. */
  known: { readonly text: string; readonly etag: string } | null;
  /** When to ask again. */
  until: number;
}

/**
 * The SKILL.md files at the addresses of skills, kept for a while, so that readers of a skill do not make this server send a request each.
 * Later the host is asked whether the text has changed. Readers at once share one request. Whoever asks must have checked that
 * the caller may read the skill.
 */
export class RemoteSkills {
  readonly #reader: CardReader;
  readonly #now: () => number;
  /** By address, the one that was asked for least recently first. */
  readonly #kept = new Map<string, Kept>();

  constructor(reader: CardReader, now: () => number = () => performance.now()) {
    this.#reader = reader;
    this.#now = now;
  }

  /**
   * Throws FORBIDDEN for a private address, and SOURCE_UNREACHABLE or INVALID_FILE where there is no SKILL.md: a caller chooses
   * the address, and must not read files of any kind through this server.
   */
  read(address: string): Promise<string> {
    const kept = this.#kept.get(address);
    if (kept !== undefined) this.#kept.delete(address);
    const current = kept !== undefined && this.#now() < kept.until ? kept : this.#ask(address, kept?.known ?? null);
    this.#kept.set(address, current);
    return current.text;
  }

  #ask(address: string, known: Kept['known']): Kept {
    const reading = readRemoteSkill(address, known, this.#reader);
    // Nobody asks again while it is read: the reader has a time limit of its own.
    const kept: Kept = {
      text: reading.then(({ text }) => text),
      chars: 0,
      known: null,
      until: Number.POSITIVE_INFINITY,
    };
    reading.then(
      ({ text, etag }) => {
        kept.chars = text.length;
        kept.known = etag === null ? null : { text, etag };
        kept.until = this.#now() + FRESH_MS;
        this.#forgetOldest();
      },
      () => {
        kept.known = known;
        kept.until = this.#now() + FAILED_MS;
        this.#forgetOldest();
      },
    );
    return kept;
  }

  #forgetOldest(): void {
    let chars = 0;
    for (const kept of this.#kept.values()) chars += kept.chars;
    for (const [address, kept] of this.#kept) {
      if (this.#kept.size <= MAX_TEXTS && chars <= MAX_CHARS) return;
      this.#kept.delete(address);
      chars -= kept.chars;
    }
  }
}

interface SkillText {
  readonly text: string;
  readonly etag: string | null;
}

function readRemoteSkill(address: string, known: Kept['known'], reader: CardReader): Promise<SkillText> {
  return readAllowed(address, reader.allowPrivate, async () => {
    const headers = known === null ? {} : { 'If-None-Match': known.etag };
    const { status, text, etag } = await fetchDocument(address, { ...reader, headers });
    if (status === 304 && known !== null) return known;
    if (status !== 200) throw unreachable(address, `answers with status ${status}`);
    readSkillMd(text);
    return { text, etag };
  });
}
