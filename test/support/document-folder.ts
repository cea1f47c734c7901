import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { DocumentReader } from '../../src/documents/contract/document-reader.ts';
import { createDocuments, type DocumentService } from '../../src/documents/create-documents.ts';
import { readMarkdown } from '../../src/documents/read/formats/markdown.ts';
import { decodeText } from '../../src/documents/read/text/decode-text.ts';
import type { LocalRegistry } from '../../src/registry/contract/registry.ts';
import { WordEmbedder } from './word-embedder.ts';
import { wordsRegistry } from './words-registry.ts';

/** Reads Markdown in this process, and counts what it reads. */
export function countingReader(): Pick<DocumentReader, 'read'> & { readonly names: string[] } {
  const names: string[] = [];
  return {
    names,
    async read(input) {
      const path = 'path' in input ? input.path : input.name;
      names.push(basename(path));
      const text = decodeText('path' in input ? await readFile(path) : input.bytes);
      if (text === null) return { failed: 'binary', message: `${basename(path)} is not text.` };
      return readMarkdown({ name: basename(path), text });
    },
  };
}

export interface TestDocuments extends DocumentService {
  readonly registry: LocalRegistry;
  readonly embedder: WordEmbedder;
  readonly folder: string;
  write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void>;
  close(): Promise<void>;
}

export const START = '2026-11-17T10:00:00.000Z';

/** Documents over a model of words, and a folder for their files. */
export async function wordDocuments(settings: Record<string, unknown> = {}): Promise<TestDocuments> {
  const embedder = new WordEmbedder();
  const registry = await wordsRegistry([], embedder, settings);
  const folder = await mkdtemp(join(tmpdir(), 'dowser-documents-'));
  return {
    ...createDocuments(registry, { now: () => new Date(START) }),
    registry,
    embedder,
    folder,
    async write(files) {
      for (const [path, content] of Object.entries(files)) {
        const file = join(folder, path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, content);
      }
    },
    async close() {
      await registry.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
