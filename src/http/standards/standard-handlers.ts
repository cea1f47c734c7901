import type { RequestFacts, StandardHandlers } from '../../api/routes/standards-contract.ts';
import { STRANGER } from '../../model/caller/caller.ts';
import { stated } from '../../model/json/json-object.ts';
import type { LocalRegistry } from '../../registry/contract/registry.ts';
import { airDomain } from '../../standards/ard/air-identifier.ts';
import { type ArdPlace, toListedEntry } from '../../standards/ard/ard-entry.ts';
import { AI_CATALOG_TYPE, SERVER_CARD_TYPE } from '../../standards/ard/ard-types.ts';
import { namespaceOf } from '../../standards/official/official-name.ts';
import { dowserCard, dowserServerCard, ownEntries, referralEntries } from '../../standards/own-entries.ts';
import { answerRpc } from './a2a.ts';
import { createArdHandlers } from './ard.ts';
import { Directory } from './directory.ts';
import type { NameLedger } from './name-ledger.ts';
import { createRegistryHandlers } from './official-registry.ts';

interface StandardsOptions {
  readonly registry: LocalRegistry;
  readonly version: string;
  /** The public address of this server. Default: the address of each request. */
  readonly publicUrl?: string | undefined;
  /** Addresses of other ARD registries. Default: none. */
  readonly referrals?: readonly string[] | undefined;
  /** The names that were listed before. Default: those of this process. */
  readonly ledger?: NameLedger | undefined;
}

/** The handlers of the standard routes. They show public entities only. */
export function createStandardHandlers({
  registry,
  version,
  publicUrl,
  ledger,
  referrals = [],
}: StandardsOptions): StandardHandlers {
  const namespace = namespaceOf(publicUrl);
  const directory = new Directory(registry, namespace, ledger);
  const stranger = registry.as(STRANGER);
  const baseOf = ({ origin }: RequestFacts) => publicUrl ?? origin;
  const placeOf = (request: RequestFacts): ArdPlace => {
    const base = baseOf(request);
    return { domain: airDomain(base), ardUrl: `${base}/ard` };
  };
  return {
    ...createRegistryHandlers(directory, stranger),
    ...createArdHandlers({
      registry: stranger,
      directory,
      namespace,
      referrals: referralEntries(referrals),
      placeOf,
    }),
    async ardManifest(_, request) {
      const { domain } = placeOf(request);
      const host = { displayName: 'Dowser', identifier: domain };
      return { status: 200, body: { specVersion: '1.0', host, entries: ownEntries(baseOf(request), version) } };
    },
    async aiCatalog(_, request) {
      const place = placeOf(request);
      const { entries } = await directory.listing();
      const listed = entries.map((entry) => toListedEntry(entry, place));
      const host = { displayName: 'Dowser', identifier: place.domain };
      const all = [...ownEntries(baseOf(request), version), ...listed].map(
        ({ identifier, displayName, type, url, description, tags, version, updatedAt }) =>
          stated({ identifier, displayName, type, url, description, tags, version, updatedAt }),
      );
      const body = JSON.stringify({ specVersion: '1.0', host, entries: all });
      return { status: 200, body, headers: { 'Content-Type': AI_CATALOG_TYPE } };
    },
    async mcpCatalog(_, request) {
      const place = placeOf(request);
      const { servers } = await directory.listing();
      const own = ownEntries(baseOf(request), version).filter(({ type }) => type === SERVER_CARD_TYPE);
      const entries = [...own, ...servers.map(({ summary }) => toListedEntry(summary, place))];
      return {
        status: 200,
        body: {
          specVersion: 'draft',
          entries: entries.map(({ identifier, displayName, type, url }) => ({ identifier, displayName, type, url })),
        },
      };
    },
    async serverCard(_, request) {
      const card = dowserServerCard(baseOf(request), version, namespace);
      return { status: 200, body: JSON.stringify(card), headers: { 'Content-Type': SERVER_CARD_TYPE } };
    },
    async agentCard(_, request) {
      return { status: 200, body: { ...dowserCard(baseOf(request), version) } };
    },
    async a2a({ body }, { a2aVersion }) {
      return { status: 200, body: await answerRpc(stranger, body, a2aVersion) };
    },
  };
}
