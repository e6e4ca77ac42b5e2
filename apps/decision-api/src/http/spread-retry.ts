import type { LimitAnswer } from '@tollgate/contracts';

/** Clients are spread over a tenth of what they have to wait, and over this at most, seconds. */
const MAX_SPREAD_S = 30;

/**
 * Makes those who wait for the same moment come back one after the other: each is told a little longer, never less, and by
 * its request id, so that a repeated request is told the same.
 */
export function withSpreadRetry(answer: LimitAnswer): LimitAnswer {
  const { retryAfter } = answer;
  // Up to nine seconds a tenth is nothing in whole ones; null: waiting does not help.
  if (retryAfter === null || retryAfter < 10) return answer;
  const spread = Math.min(Math.floor(retryAfter / 10), MAX_SPREAD_S);
  return { ...answer, retryAfter: retryAfter + (hashOf(answer.requestId) % (spread + 1)) };
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
