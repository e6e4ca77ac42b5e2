import type { LimitRequest } from '@tollgate/contracts';
import type { OperationPolicy } from '../policy/tier-policy.js';
import type { ReceiptOrder } from '../store/decision-store.js';
import { askedOf, holderOf, receiptKey } from '../store/keys.js';

/** How long a request id is remembered, ms. */
export const REMEMBER_REQUESTS_MS = 600_000;

/** What is kept of the request: where its id makes a retry free, or what it took must be found again. */
export function receiptOf(
  tenant: string,
  request: LimitRequest,
  { needsReceipt, limits }: OperationPolicy,
  id: string,
  reserveMs: number,
): ReceiptOrder | undefined {
  if (request.requestId === undefined && reserveMs === 0 && !needsReceipt) return undefined;
  const leaseMs = Math.max(
    0,
    ...limits.map(({ stored }) => (stored.algorithm === 'concurrency' ? stored.leaseMs : 0)),
  );
  return {
    key: receiptKey(tenant, id),
    holder: holderOf(id),
    asked: askedOf(request),
    keepMs: REMEMBER_REQUESTS_MS + Math.max(reserveMs, leaseMs),
    expiresAfterMs: reserveMs,
  };
}
