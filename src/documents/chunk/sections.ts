import type { Block, ReadDocument } from '../contract/document-reader.ts';
import { lastAtMost } from './last-at-most.ts';

/** Blocks that are cut into chunks together: under one heading, on one page. */
export interface Section {
  readonly headingPath: readonly string[];
  readonly page: number | undefined;
  /** In order. The heading itself is not one of them, except where nothing stands below it. */
  readonly blocks: readonly Block[];
}

interface Title {
  readonly title: string;
  readonly level: number;
}

/** The headings that a block is under, outermost first. */
class HeadingPath {
  #titles: readonly Title[] = [];

  get words(): readonly string[] {
    return this.#titles.map(({ title }) => title);
  }

  /** A block with a level closes what is as deep or deeper. */
  enter({ title, level }: Block): void {
    if (level === undefined) return;
    const outer = this.#titles.filter((open) => open.level < level);
    this.#titles = title === undefined ? outer : [...outer, { title, level }];
  }
}

/** A section for each heading, titled declaration and page. A heading with only deeper headings below it has none. */
export function headingSections({ blocks }: ReadDocument): Section[] {
  const sections: Section[] = [];
  const path = new HeadingPath();
  let open: Block[] = [];
  const close = () => {
    if (open.length > 0) sections.push({ headingPath: path.words, page: open[0]!.page, blocks: open });
    open = [];
  };
  for (const [i, block] of blocks.entries()) {
    if (block.level !== undefined || open[0]?.page !== block.page) close();
    path.enter(block);
    if (block.kind !== 'heading') open.push(block);
    else if (isAlone(block, blocks[i + 1])) {
      open.push(block);
      close();
    }
  }
  close();
  return sections;
}

/** A heading without text below it, also not below deeper headings. Its words would be found nowhere else. */
function isAlone({ level = 1 }: Block, next: Block | undefined): boolean {
  if (next === undefined) return true;
  return next.kind === 'heading' && (next.level ?? 1) <= level;
}

/** A section for each page, headings included, and the path of headings at each block. */
export function pageSections({ blocks }: ReadDocument): {
  sections: Section[];
  pathAt: (start: number) => readonly string[];
} {
  const sections: Section[] = [];
  const path = new HeadingPath();
  const starts: number[] = [];
  const paths: (readonly string[])[] = [];
  let open: Block[] = [];
  for (const block of blocks) {
    if (open.length > 0 && open[0]!.page !== block.page) {
      sections.push({ headingPath: [], page: open[0]!.page, blocks: open });
      open = [];
    }
    open.push(block);
    if (block.level === undefined) continue;
    path.enter(block);
    starts.push(block.start);
    paths.push(path.words);
  }
  if (open.length > 0) sections.push({ headingPath: [], page: open[0]!.page, blocks: open });
  return { sections, pathAt: (start) => paths[lastAtMost(starts, start)] ?? [] };
}
