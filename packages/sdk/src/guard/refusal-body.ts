import { type Refusal, refusalOf } from '@tollgate/contracts/refusal';
import { isDecidedByTollgate, type Refused } from '../client/decision.js';

/** RFC 9457 problem details of a refusal, with what a program needs beside them. */
export type RefusalBody = Refusal & Pick<Refused, 'reason' | 'retryAfter' | 'requestId'>;

/**
 * What whoever sent the request is told. Where nobody could be asked and no limit is known, the refusal is not about them: 503,
 * as when capacity is short.
 */
export function refusalBody(decision: Refused): RefusalBody {
  const { reason, retryAfter, requestId, policy } = decision;
  const isAboutThem = isDecidedByTollgate(decision) || policy !== null;
  const told = isAboutThem ? decision : { ...decision, reason: 'POOL_EXHAUSTED' as const };
  return { ...refusalOf(told), reason, retryAfter, requestId };
}
