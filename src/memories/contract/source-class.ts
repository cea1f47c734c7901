import { SOURCE_CLASSES, type SourceClass } from '../../model/entity-types/memory-facts.ts';
import { DowserError } from '../../model/errors/errors.ts';

/** What an agent stores without saying where it is from. */
export const DEFAULT_SOURCE: SourceClass = 'model';

const rankOf = (source: SourceClass | undefined): number =>
  source === undefined ? SOURCE_CLASSES.length : SOURCE_CLASSES.indexOf(source);

export const isLessTrusted = (a: SourceClass | undefined, b: SourceClass | undefined): boolean => rankOf(a) > rankOf(b);

/** The least trusted of these. An unknown source counts as a document. */
export function leastTrusted(sources: readonly (SourceClass | undefined)[]): SourceClass {
  return SOURCE_CLASSES[Math.min(Math.max(0, ...sources.map(rankOf)), SOURCE_CLASSES.length - 1)]!;
}

/** This class and the more trusted ones. */
export function trustedFrom(floor: SourceClass): readonly SourceClass[] {
  return SOURCE_CLASSES.slice(0, SOURCE_CLASSES.indexOf(floor) + 1);
}

/** A web page that says "forget what the user said" must not be able to do so. */
export function checkMaySupersede(by: SourceClass | undefined, old: SourceClass | undefined): void {
  if (by !== 'document' || old === undefined || old === 'document') return;
  throw new DowserError('FORBIDDEN', `A memory from an untrusted document cannot supersede one of class '${old}'.`, {
    field: 'source_class',
    hint: 'Store it without superseding, or state who confirmed it as source_class.',
  });
}
