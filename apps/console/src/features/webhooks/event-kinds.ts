/** Kinds of events that an endpoint may ask for, to be offered while typing; the server knows all of them. */
export const EVENT_KINDS = [
  'api_key.expiring',
  'boost.ended',
  'limit.near',
  'limit.reached',
  'node.stale',
  'override.expired',
  'purchase.disputed',
  'purchase.ended',
  'purchase.held',
  'purchase.paid',
  'purchase.refunded',
  'purchase.renewal_failed',
  'purchase.renewed',
  'quota_request.created',
  'subscription.moved',
  'topup.expiring',
] as const;
