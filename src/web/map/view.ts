import type { OperationResult } from '../data/api.ts';

export type MapPoint = OperationResult<'getMap'>['points'][number];

/** Places are from 0 to 1, and lines need some length. */
export const SIZE = 1000;
const MAX_ZOOM = 40;
const MARGIN = 1.06;

/** What is seen of the map: its middle, from 0 to 1, and how many times it is enlarged. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export const WHOLE: View = { x: 0.5, y: 0.5, zoom: 1 };

const within = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** The width of what is seen. */
export const spanOf = ({ zoom }: View): number => MARGIN / zoom;

/** Enlarged by a factor. The place `at` stays where it is. */
export function zoomed(view: View, factor: number, at: Pick<View, 'x' | 'y'> = view): View {
  const zoom = within(view.zoom * factor, 1, MAX_ZOOM);
  if (zoom === 1) return WHOLE;
  const share = view.zoom / zoom;
  return moved({ x: at.x + (view.x - at.x) * share, y: at.y + (view.y - at.y) * share, zoom }, 0, 0);
}

/** Moved by shares of what is seen. */
export function moved(view: View, right: number, down: number): View {
  const span = spanOf(view);
  return { ...view, x: within(view.x + right * span, 0, 1), y: within(view.y + down * span, 0, 1) };
}

export const viewBoxOf = (view: View): string => {
  const span = spanOf(view) * SIZE;
  return [view.x * SIZE - span / 2, view.y * SIZE - span / 2, span, span].map((value) => value.toFixed(2)).join(' ');
};

export const isSeen = (view: View, { x, y }: Pick<MapPoint, 'x' | 'y'>): boolean =>
  Math.abs(x - view.x) <= spanOf(view) / 2 && Math.abs(y - view.y) <= spanOf(view) / 2;

const distance = (a: Pick<MapPoint, 'x' | 'y'>, b: Pick<MapPoint, 'x' | 'y'>): number =>
  Math.hypot(a.x - b.x, a.y - b.y);

/** The points from near to far. */
export const nearestTo = (place: Pick<MapPoint, 'x' | 'y'>, points: readonly MapPoint[]): readonly MapPoint[] =>
  points
    .map((point) => ({ point, far: distance(place, point) }))
    .sort((a, b) => a.far - b.far)
    .map(({ point }) => point);

/** The point at a place, or none within `reach`. */
export function pointAt(place: Pick<MapPoint, 'x' | 'y'>, points: readonly MapPoint[], reach: number) {
  const nearest = points.reduce<MapPoint | undefined>(
    (best, point) => (best === undefined || distance(place, point) < distance(place, best) ? point : best),
    undefined,
  );
  return nearest !== undefined && distance(place, nearest) <= reach ? nearest : undefined;
}

/** Where a query is: amid its results, nearer to those that fit better. */
export function amid(found: readonly { readonly point: MapPoint; readonly weight: number }[]) {
  const total = found.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return undefined;
  const mean = (axis: 'x' | 'y') => found.reduce((sum, { point, weight }) => sum + point[axis] * weight, 0) / total;
  return { x: mean('x'), y: mean('y') };
}
