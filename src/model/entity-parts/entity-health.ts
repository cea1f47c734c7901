import { z } from 'zod';

const fromZero = z.number('must be a number from 0').min(0, 'must be a number from 0');

/** How well something is kept. Other fields are kept as they are. */
export const entityHealthSchema = z.looseObject({
  maintenance: z.number().min(0, 'must be from 0 to 1').max(1, 'must be from 0 to 1').optional(),
  stars: fromZero.optional(),
  velocity: z.number().optional().describe('Stars gained in the last 90 days.'),
  last_release: z.string().max(64).optional(),
  tier: z.string().max(64).optional(),
});
export type EntityHealth = z.output<typeof entityHealthSchema>;

/** ToolPilot calls a tool stable from here on. */
export const STABLE_MAINTENANCE = 0.6;

/** A tool is emerging if its stars grow by this share in 90 days: new things rise, stale things do not. */
const RISING_SHARE = 0.1;

export type Stability = 'stable' | 'emerging' | 'unknown';

/**
 * What is well maintained is stable, however fast it grows. `emerging` needs growth: ToolPilot calls everything emerging that is not
 * stable, which is mostly unmaintained packages.
 */
export function stabilityOf(health: EntityHealth | undefined): Stability {
  if (health === undefined) return 'unknown';
  const { maintenance, stars, velocity } = health;
  if (maintenance !== undefined && maintenance >= STABLE_MAINTENANCE) return 'stable';
  const isRising = velocity !== undefined && velocity > 0 && velocity >= RISING_SHARE * (stars ?? 0);
  return isRising ? 'emerging' : 'unknown';
}

/** ToolPilot's rule to the letter: below the limit is `emerging`. */
export function literalStabilityOf(health: EntityHealth | undefined): 'stable' | 'emerging' {
  return (health?.maintenance ?? 0) >= STABLE_MAINTENANCE ? 'stable' : 'emerging';
}
