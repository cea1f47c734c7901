import { type EntityId, splitEntityId } from '../model/entity.ts';
import { type Edge, otherEnd } from '../model/entity-parts/edge.ts';

const PROVENANCES: Readonly<Record<string, (via: string) => string>> = {
  given: () => 'stated',
  schema: (via) => `field ${via}`,
  virtual_server: (via) => `virtual server ${via}`,
  tag: (via) => `tag ${via}`,
  mention: (via) => `mentions ${via}`,
  install: (via) => `install line of ${via}`,
  dependency: (via) => `dependency ${via}`,
  co_use: () => 'reported use',
  supersede: (via) => (via === '' ? 'superseded' : `superseded: ${via}`),
  lineage: () => 'made from it',
};

/** Where an edge came from, in words. */
export function provenanceWords({ provenance, via }: Edge): string {
  const words = Object.hasOwn(PROVENANCES, provenance) ? PROVENANCES[provenance] : undefined;
  return words === undefined ? provenance.replace(/^import:/, 'imported from ') : words(via ?? '');
}

const VERBS: Readonly<Record<Edge['type'], string>> = {
  REQUIRES: 'requires',
  PRODUCES_FOR: 'produces input for',
  INTEGRATES_WITH: 'works with',
  COMPATIBLE_WITH: 'is compatible with',
  POPULAR_WITH: 'is often used with',
  REPLACES: 'replaces',
  CONFLICTS_WITH: 'conflicts with',
  RELATED_TO: 'is related to',
};

/** `/tracker#list_issues produces input for /tracker#get_issue (field issueId)` */
export function edgeWords(edge: Edge): string {
  const [source, target] = [splitEntityId(edge.source).path, splitEntityId(edge.target).path];
  return `${source} ${VERBS[edge.type]} ${target} (${provenanceWords(edge)})`;
}

/** The words for an edge from its source, and from its target where they differ. */
const RELATIONS: Readonly<Record<Edge['type'], readonly [fromSource: string, fromTarget?: string]>> = {
  REQUIRES: ['requires', 'required by'],
  PRODUCES_FOR: ['produces input for', 'takes input from'],
  INTEGRATES_WITH: ['works with'],
  COMPATIBLE_WITH: ['compatible with'],
  POPULAR_WITH: ['often used with'],
  REPLACES: ['replaces', 'replaced by'],
  CONFLICTS_WITH: ['conflicts with'],
  RELATED_TO: ['related to'],
};

/** What an edge says of one of its ends: `compatible with FastAPI (stated)` */
export function relationWords(edge: Edge, node: EntityId, nameOf: (other: EntityId) => string): string {
  const [fromSource, fromTarget = fromSource] = RELATIONS[edge.type];
  const words = edge.source === node ? fromSource : fromTarget;
  return `${words} ${nameOf(otherEnd(edge, node))} (${provenanceWords(edge)})`;
}
