import type { ConfigOffer } from '@tollgate/contracts';
import { type OfferEffect } from '../../commerce/index.js';
import { compact } from './compact.js';

/** An offer as a configuration says it, with nothing left out. */
export interface OfferState {
  name: string;
  description: string;
  kind: 'UPGRADE' | 'TOPUP';
  status: 'DRAFT' | 'ACTIVE' | 'ARCHIVED';
  price: number;
  currency: string;
  interval: 'MONTH' | 'YEAR' | null;
  validDays: number | null;
  graceDays: number;
  tiers: string[];
  maxQuantity: number;
  stock: number | null;
  carryOver: 'KEEP' | 'RESET' | 'PROPORTIONAL' | 'ADDITIVE';
  effects: OfferEffect[];
}

/** Days that an upgrade goes on unpaid when nobody says how many; a top-up does not renew. */
const GRACE_DAYS = { UPGRADE: 7, TOPUP: 0 };

const upper = <T extends string>(text: T) => text.toUpperCase() as Uppercase<T>;

export function readOffer(offer: ConfigOffer): OfferState {
  const { interval, validDays = null, stock = null, maxQuantity = 1, tiers = [] } = offer;
  const kind = upper(offer.kind);
  return {
    name: offer.name,
    description: offer.description ?? '',
    kind,
    status: upper(offer.status ?? 'active'),
    price: offer.price,
    currency: offer.currency,
    interval: interval === undefined ? null : upper(interval),
    validDays,
    graceDays: offer.graceDays ?? GRACE_DAYS[kind],
    tiers,
    maxQuantity,
    stock,
    carryOver: upper(offer.carryOver ?? 'keep'),
    effects: offer.effects as OfferEffect[],
  };
}

export function writeOffer(offer: OfferState): object {
  const { kind, status, interval, graceDays, maxQuantity, carryOver, effects, ...rest } = offer;
  return compact({
    ...rest,
    kind: kind.toLowerCase(),
    status: status === 'ACTIVE' ? undefined : status.toLowerCase(),
    interval: interval?.toLowerCase(),
    graceDays: graceDays === GRACE_DAYS[kind] ? undefined : graceDays,
    maxQuantity: maxQuantity === 1 ? undefined : maxQuantity,
    carryOver: carryOver === 'KEEP' ? undefined : carryOver.toLowerCase(),
    effects,
  });
}
