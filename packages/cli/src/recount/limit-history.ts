import type { LimitPolicy } from '@tollgate/contracts';
import type { ReadTenantLimits } from '../client/answers.js';
import type { Charge } from './charge-log.js';

interface Revision {
  revision: number;
  policies: ReadonlyMap<string, LimitPolicy>;
}

/** The limits that were in force during a replay, by policy revision, as the decision API told them. */
export class LimitHistory {
  private readonly revisions: Revision[] = [];

  add({ revision, limits }: ReadTenantLimits): void {
    if (this.knows(revision)) return;
    this.revisions.push({ revision, policies: new Map(limits.map(({ policy }) => [policy.name, policy])) });
    this.revisions.sort((a, b) => a.revision - b.revision);
  }

  knows(revision: number): boolean {
    return this.revisions.some((known) => known.revision === revision);
  }

  /**
   * The limit that decided a charge: that of its revision, or, where that one was replaced before it could be read or
   * reads otherwise than the answer, the same one just before or after it. A node may act on a tenant's new tier a
   * moment before it takes the new revision. Undefined when none agrees with the answer, or two that differ do.
   */
  find({ revision, limit, limitMax, windowMs }: Charge): LimitPolicy | undefined {
    const after = this.revisions.findIndex((known) => known.revision > revision);
    const next = after < 0 ? this.revisions.length : after;
    const agrees = (policy: LimitPolicy | undefined): policy is LimitPolicy =>
      policy?.limit === limitMax && (!('windowMs' in policy) || policy.windowMs === windowMs);
    const known = this.revisions[next - 1];
    const own = known?.policies.get(limit);
    if (known?.revision === revision && agrees(own)) return own;
    const first = known?.revision === revision ? next - 2 : next - 1;
    const [earlier, later] = [first, next].map((i) => this.revisions[i]?.policies.get(limit)).filter(agrees);
    if (earlier === undefined || later === undefined) return earlier ?? later;
    return JSON.stringify(earlier) === JSON.stringify(later) ? earlier : undefined;
  }
}
