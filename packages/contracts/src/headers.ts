import { type LimitAnswer, type LimitResult, labeledName } from './answers.js';

/**
 * `draft-11`: `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11, every limit by name.
 * `draft-3`: `RateLimit-Limit`, `-Remaining`, `-Reset` of the drafts up to 6, nearest limit only. `x-ratelimit`: the
 * same as `X-RateLimit-*`, reset in unix seconds, and `-Retry-After`.
 */
export const HEADER_STYLES = ['draft-11', 'draft-3', 'x-ratelimit'] as const;

export type HeaderStyle = (typeof HEADER_STYLES)[number];

export const DEFAULT_HEADER_STYLES: readonly HeaderStyle[] = ['draft-11'];

export interface AnswerInHeaders extends Pick<LimitAnswer, 'success' | 'retryAfter' | 'decidedAt'> {
  /** Name of the binding limit. */
  policy?: string | null;
  policies: readonly (Pick<LimitResult, 'name' | 'limit' | 'remaining' | 'reset' | 'window'> &
    Partial<Pick<LimitResult, 'mode' | 'inHeaders' | 'label' | 'success'>>)[];
}

interface RenderedLimit {
  readonly name: string;
  readonly quota: number;
  /** Undefined: none, or shorter than a second, which the drafts cannot express. */
  readonly windowS: number | undefined;
  /** Counts requests in flight instead of requests. */
  readonly isConcurrency: boolean;
  readonly left: number;
  readonly resetS: number;
  /** Unix seconds. */
  readonly resetAtS: number;
}

interface Model {
  readonly limits: readonly RenderedLimit[];
  /** The binding limit if shown, else the one with the least remaining. */
  readonly nearest: RenderedLimit | undefined;
}

/**
 * Adds `Retry-After` if the request was denied and waiting helps. Omits shadow limits, candidates and hidden limits.
 * @param nowMs unix ms, for answers without `decidedAt`, whose clock is the one of `reset`
 */
export function rateLimitHeaders(
  answer: AnswerInHeaders,
  nowMs: number,
  styles: readonly HeaderStyle[] = DEFAULT_HEADER_STYLES,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const { success, retryAfter } = answer;
  const model = modelOf(answer, answer.decidedAt ?? nowMs);
  const wait = success || retryAfter === null ? undefined : String(retryAfter);
  for (const style of styles) WRITERS[style](model, headers, wait);
  if (wait !== undefined) headers['Retry-After'] = wait;
  return headers;
}

function modelOf({ success, retryAfter, policy, policies }: AnswerInHeaders, nowMs: number): Model {
  const limits: RenderedLimit[] = [];
  let nearest: RenderedLimit | undefined;
  let isBinding = false;
  for (const one of policies) {
    const { name, limit, remaining, reset, window, mode = 'enforce', inHeaders } = one;
    if (inHeaders === false || mode !== 'enforce') continue;
    const untilResetS = Math.max(0, Math.ceil((reset - nowMs) / 1000));
    // Of a limit and the amount of a label, the one that denied the request binds.
    const binds = name === policy && (success || one.success !== true);
    const rendered: RenderedLimit = {
      name: labeledName(one),
      quota: limit,
      windowS: window >= 1 ? Math.round(window) : undefined,
      isConcurrency: window === 0,
      left: remaining,
      // For the limit that denied the request, the reset equals `Retry-After`.
      resetS: binds && !success && retryAfter !== null ? retryAfter : untilResetS,
      resetAtS: Math.ceil(reset / 1000),
    };
    limits.push(rendered);
    const isLess = nearest === undefined || rendered.left < nearest.left;
    if (binds ? !isBinding || isLess : !isBinding && isLess) nearest = rendered;
    isBinding ||= binds;
  }
  return { limits, nearest };
}

type Writer = (model: Model, headers: Record<string, string>, wait: string | undefined) => void;

const WRITERS: Readonly<Record<HeaderStyle, Writer>> = {
  'draft-11': ({ limits }, headers) => {
    if (limits.length === 0) return;
    let policy = '';
    let state = '';
    for (const { name, quota, windowS, isConcurrency, left, resetS } of limits) {
      const comma = policy === '' ? '' : ', ';
      const unit = isConcurrency ? ';qu="concurrent-requests"' : '';
      policy += `${comma}"${name}";q=${quota}${unit}${windowS === undefined ? '' : `;w=${windowS}`}`;
      state += `${comma}"${name}";r=${left};t=${resetS}`;
    }
    headers['RateLimit-Policy'] = policy;
    headers.RateLimit = state;
  },
  'draft-3': ({ limits, nearest }, headers) => {
    if (nearest === undefined) return;
    const quotas = limits.map(
      ({ quota, windowS }) => `, ${quota}${windowS === undefined ? '' : `;w=${windowS}`}`,
    );
    headers['RateLimit-Limit'] = `${nearest.quota}${quotas.join('')}`;
    headers['RateLimit-Remaining'] = String(nearest.left);
    headers['RateLimit-Reset'] = String(nearest.resetS);
  },
  'x-ratelimit': ({ nearest }, headers, wait) => {
    if (nearest === undefined) return;
    headers['X-RateLimit-Limit'] = String(nearest.quota);
    headers['X-RateLimit-Remaining'] = String(nearest.left);
    headers['X-RateLimit-Reset'] = String(nearest.resetAtS);
    if (wait !== undefined) headers['X-RateLimit-Retry-After'] = wait;
  },
};
