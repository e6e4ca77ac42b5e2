/** Labels of GraphQL enums that several features show. */
export const ENTITLEMENT_SOURCE_TEXT = { TOPUP: 'Top-up', UPGRADE: 'Upgrade' } as const;

export const PURCHASE_STATUS_TEXT = {
  ACTIVE: 'Active',
  DISPUTED: 'Disputed',
  CANCELED: 'Canceled',
  EXPIRED: 'Expired',
  NEEDS_REVIEW: 'Needs review',
  PAST_DUE: 'Past due',
  PENDING: 'Pending',
  PROCESSING: 'Processing',
  REFUNDED: 'Refunded',
  REJECTED: 'Rejected',
} as const;

export const PAYMENT_PROVIDER_TEXT = { INVOICE: 'Invoice', STRIPE: 'Stripe', TEST: 'Test card' } as const;

export const PAYMENT_REVIEW_REASON_TEXT = {
  NO_EFFECT: 'the purchase would change no limit',
  PAID_TWICE: 'already paid',
  SOLD_OUT: 'sold out',
  TOO_MANY: 'entitlement limit of the tenant reached',
  WRONG_AMOUNT: 'amount differs from the order',
  WRONG_CURRENCY: 'wrong currency',
  WRONG_CUSTOMER: 'paid by another customer',
} as const;

export const EFFECT_KIND_TEXT = { ADD: 'Add', MULTIPLY: 'Multiply by', SET: 'Set to' } as const;

export const AMOUNT_HINT_TEXT = {
  ADD: 'such as 1,000',
  MULTIPLY: 'such as 2x or 150 %',
  SET: 'such as 500 or 10k',
} as const;

export const LIMIT_SOURCE_TEXT = {
  BOOST: 'Boost',
  DEFAULT: 'Default',
  OVERRIDE: 'Override',
  OWN: "Customer's own limit",
  PARENT: 'Parent tenant',
  SUBJECT_RULE: 'Subject rule',
  TIER: 'Tier',
  TOPUP: 'Top-up',
  UPGRADE: 'Upgrade',
  WARM_UP: 'Warm-up',
} as const;

/** Parts of a limit that a parent shares, by the label in an answer. */
export const SHARED_PART_TEXT: Readonly<Record<string, string>> = {
  parent: 'the parent',
  floor: 'its floor',
  common: 'everyone without a floor',
};

export const MEMBER_ROLE_TEXT = {
  BUYER: 'Buyer',
  DEVELOPER: 'Developer',
  OWNER: 'Owner',
  VIEWER: 'Viewer',
} as const;

export const DECISION_REASON_TEXT = {
  ATTEMPTS_IN_FLIGHT: 'too many attempts without an outcome',
  BLOCKED: 'operation blocked or tenant suspended',
  BURST: 'burst capacity used',
  CONCURRENCY_EXCEEDED: 'too many concurrent requests',
  DEGRADED: 'decided without the counter Redis',
  ELASTIC: 'over the limit, using borrowed capacity',
  EXEMPT: 'exempt from limits',
  NO_LIMIT: 'no limit configured',
  PENALTY: 'blocked after too many denials',
  POOL_EXHAUSTED: 'API pool exhausted',
  QUEUED: 'after a delay',
  QUOTA_EXCEEDED: 'quota exceeded',
  RATE_EXCEEDED: 'rate exceeded',
  SHADOW: 'the limit that would deny it is in shadow mode',
  SOFT_LIMIT: 'over the limit, within the soft limit',
  WITHIN_LIMIT: 'within all limits',
} as const;

export const OPERATOR_ROLE_TEXT = {
  AUDITOR: 'Auditor',
  BILLING: 'Billing',
  LIMITS_ADMIN: 'Limits admin',
  OWNER: 'Owner',
  SUPPORT: 'Support',
  VIEWER: 'Viewer',
} as const;

export const PRIORITY_TEXT = { BACKGROUND: 'Background', CRITICAL: 'Critical', NORMAL: 'Normal' } as const;
