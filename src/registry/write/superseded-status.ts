import type { Entity } from '../../model/entity.ts';
import { DowserError } from '../../model/errors/errors.ts';

/**
 * A superseded memory is deprecated until that is undone: with another status, a search that does not ask for history would
 * show it beside its successor, or above.
 */
export function checkSupersededStatus(entity: Entity): void {
  if (entity.type !== 'memory' || entity.superseded === undefined || entity.status === 'deprecated') return;
  throw new DowserError('INVALID_REQUEST', `'status' is '${entity.status}': a superseded memory is 'deprecated'.`, {
    field: 'status',
    hint: 'Undo that it was superseded: POST /api/memory:undo-supersede.',
  });
}
