import type { OutboxKind } from '@tollgate/database';
import type { Impact } from '../graphql/mutation.graphql.js';
import type { Tx } from '../prisma/database.js';

/** What a change tells the relay to publish. */
export interface PublishedEntity {
  kind: OutboxKind;
  /** The tenant's key; what changed in the catalogue, such as `tier:pro`. */
  entityKey: string;
}

/** Policy as one transaction sees it, as far as a change reaches; only its source looks inside. */
export type PolicyView = object;

/** Finds out whom a change reaches. */
export abstract class ImpactSource {
  /** What applies to all tenants that `published` may reach. */
  abstract read(tx: Tx, published: readonly PublishedEntity[]): Promise<PolicyView>;

  /** Compares two views that were read for the same `published`. */
  abstract compare(before: PolicyView, after: PolicyView): Impact;
}
