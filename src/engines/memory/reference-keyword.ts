import { type Explanation, leaf } from '../../model/answer/explanation.ts';
import { type BoostedEntity, textBoost, textBoostEach } from '../../search/keyword/boost/text-boost.ts';
import type { Scorer } from '../../search/retrieval/retrieval.ts';
import { boostTokens } from '../../search/text/boost-tokens.ts';
import type { MemoryEntity, MemoryUnit } from './memory-state.ts';
import { referenceBm25f, referenceCoverage } from './reference-scorers.ts';

/** A unit with its score and reasons, before filter and order. */
type Scored = readonly [held: MemoryUnit, detail: Explanation];

/** Every unit that matches the text. */
export function referenceKeyword(text: string, scorer: Scorer, entities: readonly MemoryEntity[]) {
  return new Map(scoreAll(text, scorer, entities).filter(([, { value }]) => value > 0));
}

function scoreAll(text: string, scorer: Scorer, entities: readonly MemoryEntity[]): readonly Scored[] {
  const units = entities.flatMap((entity) => entity.units);
  switch (scorer) {
    case 'bm25f': {
      const details = referenceBm25f(
        text,
        units.map((held) => held.analyzed),
      );
      return units.map((held, i) => [held, details[i]!]);
    }
    case 'coverage':
      return units.map((held) => [held, referenceCoverage(text, held.analyzed)]);
    case 'constant':
      return units.map((held) => [held, leaf('constant', 1)]);
    case 'boost':
    case 'boost-each': {
      const tokens = boostTokens(text);
      const boostOf = scorer === 'boost' ? textBoost : textBoostEach;
      return entities.flatMap((entity) => boostCards((boosted) => boostOf(tokens, boosted), entity));
    }
  }
}

/** Only cards have a boost: for their own fields and for the tools of their entity. */
function boostCards(boostOf: (entity: BoostedEntity) => number, { units }: MemoryEntity): readonly Scored[] {
  const tools = units.filter(({ unit }) => unit.kind === 'tool');
  const cards = units.filter(({ unit }) => unit.kind === 'card');
  return cards.map((held) => [held, leaf('boost', boostOf(boosted(held, tools)))]);
}

function boosted({ unit }: MemoryUnit, tools: readonly MemoryUnit[]): BoostedEntity {
  const { path = '', name = '', description = '', tags = '', metadata = '' } = unit.fields;
  return {
    path,
    name,
    description,
    tags: tags.split('\n'),
    metadataText: metadata,
    tools: tools.map(({ unit: { fields } }) => ({ name: fields.name ?? '', description: fields.description ?? '' })),
  };
}
