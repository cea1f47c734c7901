import { typeWord } from '../data/words.ts';

export function TypeBadge({ type }: { readonly type: string }) {
  return <span class={`badge type-${type}`}>{typeWord(type)}</span>;
}

interface StateBadgesProps {
  readonly status?: string;
  readonly isEnabled?: boolean;
  readonly health?: string;
  readonly drifted?: boolean;
}

/** Only what deserves attention: an active, enabled, live entity has none. */
export function StateBadges({
  status = 'active',
  isEnabled = true,
  health = 'unknown',
  drifted = false,
}: StateBadgesProps) {
  return (
    <>
      {status !== 'active' && <span class="badge warn">{status}</span>}
      {!isEnabled && <span class="badge warn">disabled</span>}
      {health === 'unhealthy' && <span class="badge bad">does not answer</span>}
      {health === 'healthy' && <span class="badge good">live</span>}
      {drifted && <span class="badge warn">changed</span>}
    </>
  );
}
