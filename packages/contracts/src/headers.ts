import type { LimitAnswer, PolicyResult } from './decision.js';

/** What of an answer its headers tell. */
export interface AnswerInHeaders extends Pick<LimitAnswer, 'success' | 'retryAfter'> {
  policies: readonly Pick<PolicyResult, 'name' | 'limit' | 'remaining' | 'reset' | 'window'>[];
}

/**
 * Rate-limit response headers of an answer, draft-ietf-httpapi-ratelimit-headers-11: `RateLimit-Policy` and
 * `RateLimit` list every limit that was checked; `Retry-After` (delta seconds) is present on a refusal that waiting
 * can cure.
 *
 * @param nowMs the moment of the answer, unix ms: `t` is relative to it.
 */
export function rateLimitHeaders(answer: AnswerInHeaders, nowMs: number): Record<string, string> {
  const headers: Record<string, string> = {};
  if (answer.policies.length > 0) {
    let policy = '';
    let state = '';
    for (const p of answer.policies) {
      const comma = policy === '' ? '' : ', ';
      // `w` is whole seconds by the draft: a shorter window cannot be said.
      policy += `${comma}"${p.name}";q=${p.limit}${p.window >= 1 ? `;w=${Math.round(p.window)}` : ''}`;
      state += `${comma}"${p.name}";r=${p.remaining};t=${Math.max(0, Math.ceil((p.reset - nowMs) / 1000))}`;
    }
    headers['RateLimit-Policy'] = policy;
    headers.RateLimit = state;
  }
  if (!answer.success && answer.retryAfter !== null) headers['Retry-After'] = String(answer.retryAfter);
  return headers;
}
