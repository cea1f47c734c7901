/** What another ranking did with a result: how many places up, or that only one of the two has it. */
export interface Move {
  readonly kind: 'same' | 'new' | 'up' | 'down';
  readonly places: number;
}

/** The move of each id of `after`, by what `before` had. */
export function movesOf(before: readonly string[], after: readonly string[]): readonly Move[] {
  const places = new Map(before.map((id, at) => [id, at]));
  return after.map((id, at) => {
    const was = places.get(id);
    if (was === undefined) return { kind: 'new', places: 0 };
    if (was === at) return { kind: 'same', places: 0 };
    return { kind: was > at ? 'up' : 'down', places: Math.abs(was - at) };
  });
}

export function moveText(move: Move): string {
  if (move.kind === 'same') return '=';
  if (move.kind === 'new') return 'only here';
  return `${move.kind === 'up' ? '▲' : '▼'} ${move.places}`;
}
