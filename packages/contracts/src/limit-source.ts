/** What may change a tenant's limit, in the order in which it does: each stage goes on from what the one before it made. */
export const ADJUSTMENT_SOURCES = ['upgrade', 'topup', 'override', 'boost'] as const;

export type AdjustmentSource = (typeof ADJUSTMENT_SOURCES)[number];

/** Where a limit's number comes from: an API's default, the tier, or the last adjustment that changed it. */
export type LimitSource = 'default' | 'tier' | AdjustmentSource;
