import { useMemo, useRef } from 'preact/hooks';
import type { EntityType } from '../data/api.ts';
import { isSeen, type MapPoint, moved, pointAt, SIZE, spanOf, type View, viewBoxOf, WHOLE, zoomed } from './view.ts';

interface MapPictureProps {
  readonly points: readonly MapPoint[];
  /** Drawn larger, with their names. */
  readonly found: readonly MapPoint[];
  readonly query: Pick<MapPoint, 'x' | 'y'> | undefined;
  readonly selected: MapPoint | undefined;
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly onSelect: (point: MapPoint | undefined) => void;
}

const STEP = 0.2;
const FACTOR = 1.6;
/** How near a click must be, in pixels. */
const REACH = 16;
/** With more in view, only results have names. */
const MAX_NAMES = 40;
const NAME_PX = 12;
const LETTER_PX = 6.5;
const MAX_NAME = 32;

/** What a key does to a view. */
const KEYS: Readonly<Record<string, (view: View) => View>> = {
  ArrowLeft: (view) => moved(view, -STEP, 0),
  ArrowRight: (view) => moved(view, STEP, 0),
  ArrowUp: (view) => moved(view, 0, -STEP),
  ArrowDown: (view) => moved(view, 0, STEP),
  '+': (view) => zoomed(view, FACTOR),
  '=': (view) => zoomed(view, FACTOR),
  '-': (view) => zoomed(view, 1 / FACTOR),
  '0': () => WHOLE,
};

/** Those whose name covers no name before it. */
function withRoom(points: readonly MapPoint[], unit: number): readonly MapPoint[] {
  const named: MapPoint[] = [];
  for (const point of points) {
    const isFree = named.every((other) => {
      const letters = Math.min(MAX_NAME, point.x < other.x ? point.name.length : other.name.length);
      return (
        Math.abs(point.y - other.y) > NAME_PX * unit || Math.abs(point.x - other.x) > (letters + 3) * LETTER_PX * unit
      );
    });
    if (isFree) named.push(point);
  }
  return named;
}

/** Each type is one line of dots, so thousands of points are a few elements. The list beside it says the same in words. */
export function MapPicture({ points, found, query, selected, view, onView, onSelect }: MapPictureProps) {
  const box = useRef<HTMLDivElement>(null);
  const drag = useRef<{ readonly x: number; readonly y: number; readonly from: View } | null>(null);
  const dots = useMemo(() => <Dots points={points} kind="dots" />, [points]);
  const foundDots = useMemo(() => <Dots points={found} kind="dots found" />, [found]);
  const pixels = box.current?.clientWidth ?? 600;
  const unit = spanOf(view) / pixels;
  const placeOf = ({ clientX, clientY }: MouseEvent): Pick<MapPoint, 'x' | 'y'> => {
    const { left, top, width, height } = box.current!.getBoundingClientRect();
    return {
      x: view.x + ((clientX - left) / width - 0.5) * spanOf(view),
      y: view.y + ((clientY - top) / height - 0.5) * spanOf(view),
    };
  };
  const seen = points.filter((point) => isSeen(view, point));
  const important = [...(selected === undefined ? [] : [selected]), ...found].filter((point) => isSeen(view, point));
  const named = withRoom([...new Set([...important, ...(seen.length <= MAX_NAMES ? seen : [])])], unit);
  return (
    <div class="map-frame">
      {/* biome-ignore lint/a11y/useSemanticElements: a group of fields would be something else. */}
      <div
        class="map"
        ref={box}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys below move and enlarge it.
        tabIndex={0}
        aria-label="Map. Arrow keys move it, plus and minus enlarge and shrink it, 0 shows all."
        onKeyDown={(event) => {
          const act = KEYS[event.key];
          if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          onView(act(view));
        }}
        onWheel={(event) => {
          // Without the key, the page scrolls. A pinch on a touchpad comes with it.
          if (!event.ctrlKey && !event.metaKey) return;
          event.preventDefault();
          onView(zoomed(view, event.deltaY < 0 ? 1.2 : 1 / 1.2, placeOf(event)));
        }}
        onDblClick={(event) => onView(zoomed(view, FACTOR, placeOf(event)))}
        onClick={(event) => onSelect(pointAt(placeOf(event), points, REACH * unit))}
        onPointerDown={(event) => {
          if (event.pointerType !== 'touch') drag.current = { x: event.clientX, y: event.clientY, from: view };
        }}
        onPointerMove={(event) => {
          const start = drag.current;
          if (start === null || event.buttons === 0) return;
          onView(moved(start.from, (start.x - event.clientX) / pixels, (start.y - event.clientY) / pixels));
        }}
        onPointerUp={() => {
          drag.current = null;
        }}
      >
        <svg viewBox={viewBoxOf(view)} aria-hidden="true">
          {dots}
          {foundDots}
          {query !== undefined && <circle class="query" cx={query.x * SIZE} cy={query.y * SIZE} r={12 * unit * SIZE} />}
          {selected !== undefined && (
            <circle class="selected" cx={selected.x * SIZE} cy={selected.y * SIZE} r={8 * unit * SIZE} />
          )}
          {named.map(({ entity_type, path, name, x, y }) => (
            <text
              key={`${entity_type}:${path}`}
              x={(x + 8 * unit) * SIZE}
              y={(y + 4 * unit) * SIZE}
              font-size={NAME_PX * unit * SIZE}
            >
              {name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name}
            </text>
          ))}
        </svg>
      </div>
      <div class="row">
        <button type="button" aria-label="Enlarge the map" onClick={() => onView(zoomed(view, FACTOR, selected))}>
          +
        </button>
        <button type="button" aria-label="Shrink the map" onClick={() => onView(zoomed(view, 1 / FACTOR))}>
          −
        </button>
        <button type="button" disabled={viewBoxOf(view) === viewBoxOf(WHOLE)} onClick={() => onView(WHOLE)}>
          Show all
        </button>
      </div>
    </div>
  );
}

function Dots({ points, kind }: { readonly points: readonly MapPoint[]; readonly kind: string }) {
  const lines = new Map<EntityType, string[]>();
  for (const { entity_type, x, y } of points) {
    const line = lines.get(entity_type) ?? [];
    if (line.length === 0) lines.set(entity_type, line);
    line.push(`M${(x * SIZE).toFixed(1)} ${(y * SIZE).toFixed(1)}h0`);
  }
  return (
    <>
      {[...lines].map(([type, line]) => (
        <path key={type} class={`${kind} of-${type}`} d={line.join('')} />
      ))}
    </>
  );
}
