import { type Adjustment, concerns, type LimitPolicy, resolveLimit } from '@tollgate/contracts';
import { type TenantSituation } from '../tenants/tenant-record.repository.js';

type Effect = Omit<Adjustment, 'id' | 'source'>;

export interface PurchasedLimit {
  apiKey: string;
  limitName: string;
  before: number;
  after: number;
  /** The limit with these numbers. */
  policies: { before: LimitPolicy; after: LimitPolicy };
}

export interface PurchaseEffects {
  limits: PurchasedLimit[];
  /** Why the purchase would change no limit; null if it changes one. */
  noEffect: string | null;
}

/**
 * Changes that purchasable effects would make to a tenant's limits. Boosts, and adjustments that end before `until`, do not count:
 * they hide a purchase for a while only.
 * @param until end of the first paid period; null: the purchase does not end
 */
export function findPurchaseEffects(
  { stored, inForce, adjustments }: Pick<TenantSituation, 'stored' | 'inForce' | 'adjustments'>,
  sold: { source: 'upgrade' | 'topup'; effects: readonly Effect[] },
  until: Date | null,
): PurchaseEffects {
  const lasting = inForce.filter(({ id, source }) => {
    const endsAt = adjustments.get(id)?.endsAt ?? null;
    return source !== 'boost' && (endsAt === null || (until !== null && new Date(endsAt) >= until));
  });
  const added = sold.effects.map((effect, i) => ({ ...effect, id: `sold-${i}`, source: sold.source }));
  const concerned = stored.filter(({ policy }) => added.some((effect) => concerns(effect, policy)));
  const limits = concerned.map(({ policy }) => {
    const before = resolveLimit(policy, lasting).policy;
    const after = resolveLimit(policy, [...lasting, ...added]).policy;
    return {
      ...{ apiKey: policy.api, limitName: policy.name },
      ...{ before: before.limit, after: after.limit, policies: { before, after } },
    };
  });
  if (limits.some(({ before, after }) => before !== after)) return { limits, noEffect: null };
  return { limits, noEffect: reasonOf(limits, concerned, lasting) };
}

function reasonOf(
  [limit]: readonly PurchasedLimit[],
  concerned: TenantSituation['stored'],
  lasting: readonly Adjustment[],
): string {
  if (limit === undefined) return 'The tenant has no limit that this offer raises.';
  const name = `Limit "${limit.limitName}" of API "${limit.apiKey}"`;
  if (lasting.some((one) => one.source === 'own' && concerned.some(({ policy }) => concerns(one, policy))))
    return `${name} is lowered to ${limit.after} by your own limit. Remove that first.`;
  const isSet = lasting.some(
    (one) => one.effect.kind === 'set' && concerned.some(({ policy }) => concerns(one, policy)),
  );
  if (!isSet) return `${name} is already at ${limit.after}, the highest number that can be counted.`;
  if (limit.after === 0) return `${name} is blocked by an override, which takes precedence over purchases.`;
  return `${name} is set to ${limit.after} by an override, which takes precedence over upgrades.`;
}

/** An effect of an order that is not paid yet. */
export type OrderedEffect = Adjustment & { label: string };

/**
 * Labels of the upgrades and top-ups, in force or ordered, that do not change a limit because of an override.
 * @param without the adjustments in force, without `override`
 */
export function findHiddenPurchases(
  { stored, adjustments }: Pick<TenantSituation, 'stored' | 'adjustments'>,
  without: readonly Adjustment[],
  override: Adjustment,
  ordered: readonly OrderedEffect[],
): string[] {
  const affected = stored.filter(({ policy }) => concerns(override, policy));
  const limitsOf = (inForce: readonly Adjustment[]) =>
    JSON.stringify(affected.map(({ policy }) => resolveLimit(policy, inForce).policy));
  const changes = (one: Adjustment, inForce: readonly Adjustment[]) =>
    limitsOf(inForce) !== limitsOf(inForce.filter(({ id }) => id !== one.id));
  const sold = without.filter(({ source }) => source === 'upgrade' || source === 'topup');
  const hidden = sold.filter((one) => changes(one, without) && !changes(one, [...without, override]));
  const hiddenOrders = ordered.filter((one) => {
    const paid = [...without, one];
    return changes(one, paid) && !changes(one, [...paid, override]);
  });
  const labels = [
    ...hidden.map(({ id }) => adjustments.get(id)?.label ?? id),
    ...hiddenOrders.map(({ label }) => label),
  ];
  return [...new Set(labels)];
}
