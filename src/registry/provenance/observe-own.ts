import type { StoredEntity } from '../../engines/store.ts';
import { entityId } from '../../model/entity.ts';
import { DowserError, toDowserError } from '../../model/errors.ts';
import { parseWith } from '../../model/parse.ts';
import { changeAnnotated, deleteOne, type PublishParts, takenPath } from '../write/publish.ts';
import { type ObservationInput, type Observed, observationSchema } from './observation.ts';
import {
  type Plan,
  type PlanParts,
  planDead,
  planEntities,
  planEntity,
  planWithdrawn,
  refused,
} from './plan-observed.ts';
import { type ProvenanceParts, withoutListed } from './provenance.ts';

/**
 * As `observe`, for a caller who may only change its own. Each entity is a write like any other of this caller, in a turn of
 * its own, and one that may not happen is refused. That the source was read to its end is not noted: it may have entities of
 * others too.
 */
export async function observeOwn(
  parts: ProvenanceParts,
  publish: PublishParts,
  input: ObservationInput,
): Promise<readonly Observed[]> {
  const observation = parseWith(observationSchema, input, 'observation');
  if (observation.entities.some(({ versions }) => versions !== undefined)) {
    throw new DowserError('FORBIDDEN', 'Only admins add versions with a reading.', { field: 'versions' });
  }
  const { readable, view } = parts;
  const planning: PlanParts = { store: readable, readable, view, now: parts.now() };
  const plans = await planEntities(planning, observation);

  /** Made again in the turn of the write, of what is stored then. */
  async function store(plan: Plan): Promise<Plan> {
    const { entity, given } = plan;
    if (entity === undefined || given === undefined || observation.dry_run) return plan;
    const make = async () => {
      const current = await planEntity(planning, observation, given);
      if (current.entity === undefined) throw takenPath(entity);
      const annotations = Object.fromEntries(current.annotations.map(({ key, value }) => [key, value]));
      return { inputs: [current.entity], annotations };
    };
    return changeAnnotated(publish, make, { vectors: 'later' }).then(
      () => plan,
      (thrown) => {
        // A full disk is no fault of the entity.
        if (toDowserError(thrown).httpStatus >= 500) throw thrown;
        return refused(given, thrown);
      },
    );
  }

  const observed: Observed[] = [];
  for (const plan of plans) observed.push((await store(plan)).observed);
  for (const gone of observation.missing) observed.push(await markDead(gone));
  for (const { id, observed: deleted } of withoutListed(await planWithdrawn(planning, observation), plans)) {
    const [stored] = await readable.getMany([id]);
    if (stored === undefined || !publish.rule.mayChange(stored.entity)) continue;
    if (!observation.dry_run) await deleteOne(publish, async () => stored);
    observed.push(deleted);
  }
  return observed;

  async function markDead(gone: (typeof observation.missing)[number]): Promise<Observed> {
    return publish.engine.store.inTurn(async () => {
      const { observed: dead, annotations } = await planDead(planning, observation, gone);
      const stored: readonly StoredEntity[] = await readable.getMany([entityId(gone.type, gone.path)]);
      const isOwn = stored.every(({ entity }) => publish.rule.mayChange(entity));
      if (!isOwn) return { ...dead, state: 'kept', notes: ['It belongs to another.'] };
      if (annotations.length > 0 && !observation.dry_run) {
        publish.rule.touches(stored.map(({ id }) => id));
        await publish.engine.store.annotate(annotations);
      }
      return dead;
    });
  }
}
