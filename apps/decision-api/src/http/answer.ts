import { type LimitAnswer, type LimitResult } from '@tollgate/contracts';

/** Maximum spread, seconds; otherwise a tenth of the wait. */
const MAX_SPREAD_S = 30;

/**
 * Spreads retries of clients that wait for the same reset: adds a delay derived from the request id, so that a
 * repeated request gets the same value.
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

/** Text that `JSON.stringify` does not escape: printable ASCII without quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** An answer as `JSON.stringify` writes it, in less time: one is written for every request. */
export function answerJson(answer: LimitAnswer): string {
  let policies = '';
  for (const policy of answer.policies) policies += (policies === '' ? '' : ',') + policyJson(policy);
  return (
    `{"success":${answer.success},"policy":${quoted(answer.policy)},"limit":${answer.limit}` +
    `,"remaining":${answer.remaining},"used":${answer.used},"reset":${answer.reset}` +
    `,"retryAfter":${answer.retryAfter},"cost":${answer.cost},"reason":"${answer.reason}"` +
    `,"source":${quoted(answer.source)},"policies":[${policies}],"delayMs":${answer.delayMs}` +
    `,"degraded":${answer.degraded},"revision":${answer.revision},"requestId":${quoted(answer.requestId)}}`
  );
}

function policyJson(policy: LimitResult): string {
  return (
    `{"name":${quoted(policy.name)},"limit":${policy.limit},"remaining":${policy.remaining}` +
    `,"reset":${policy.reset},"window":${policy.window},"mode":"${policy.mode}","success":${policy.success}` +
    `${policy.inHeaders === false ? ',"inHeaders":false' : ''}}`
  );
}

function quoted(text: string | null): string {
  return text === null ? 'null' : PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
