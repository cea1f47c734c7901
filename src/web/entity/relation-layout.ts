import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';
import { shownName } from '../data/words.ts';
import { HEIGHT, WIDTH } from './graph-size.ts';

export interface GraphNode {
  readonly id: string;
  readonly name: string;
  readonly isCenter: boolean;
  readonly x: number;
  readonly y: number;
}

export interface GraphLayout {
  readonly nodes: readonly GraphNode[];
  /** From the center, with the relation in words. */
  readonly links: readonly { readonly to: GraphNode; readonly relation: string; readonly weight: number }[];
}

const STEPS = 200;
const MARGIN = 24;

interface Related {
  readonly entity_type: string;
  readonly path: string;
  readonly name: string;
  readonly relation: string;
  readonly weight: number;
}

/** Places the neighbors of an entity. Computed to the end before it is drawn, so nothing moves. */
export function layOut(name: string, relations: readonly Related[]): GraphLayout {
  const center = { id: '', name, isCenter: true, x: WIDTH / 2, y: HEIGHT / 2, fx: WIDTH / 2, fy: HEIGHT / 2 };
  const neighbors = new Map<string, Related>();
  for (const relation of relations) {
    const id = `${relation.entity_type}:${relation.path}`;
    if (!neighbors.has(id)) neighbors.set(id, relation);
  }
  const placed = [...neighbors].map(([id, relation], at) => {
    const turn = (at / neighbors.size) * 2 * Math.PI;
    return {
      id,
      name: shownName(relation),
      isCenter: false,
      x: WIDTH / 2 + Math.cos(turn) * 160,
      y: HEIGHT / 2 + Math.sin(turn) * 100,
      relation,
    };
  });
  const links = placed.map((target) => ({ source: center, target }));
  forceSimulation<{ x: number; y: number }>([center, ...placed])
    .force('link', forceLink(links).distance(130).strength(0.4))
    .force('charge', forceManyBody().strength(-260))
    .force('apart', forceCollide(34))
    .force('x', forceX(WIDTH / 2).strength(0.03))
    .force('y', forceY(HEIGHT / 2).strength(0.14))
    .stop()
    .tick(STEPS);
  const nodes = placed.map(({ id, name: title, x, y, relation }) => ({
    node: { id, name: title, isCenter: false, x: within(x, WIDTH), y: within(y, HEIGHT) },
    relation,
  }));
  return {
    nodes: [{ id: '', name, isCenter: true, x: center.x, y: center.y }, ...nodes.map(({ node }) => node)],
    links: nodes.map(({ node, relation }) => ({ to: node, relation: relation.relation, weight: relation.weight })),
  };
}

const within = (value: number, size: number): number => Math.min(size - MARGIN, Math.max(MARGIN, value));
