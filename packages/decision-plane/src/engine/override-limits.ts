import { createHash } from 'node:crypto';
import type { FixedWindowPolicy, TenantRecord } from '@tollgate/contracts';
import { LRUCache } from 'lru-cache';
import { compileLimit } from '../policy/compile.js';
import { EffectiveLimit } from '../policy/effective-limit.js';
import { counterKey, dimensionValue, overflowKey } from '../store/keys.js';
import type { AdmitKey, Applied } from './resolve.js';
import type { TogetherRequest } from './together-request.js';

/** How limits are called that a caller brings along. */
export const CALLERS_LIMIT = 'caller-limit';

/** Limits of callers, by API, number and window, that are kept compiled. */
const MAX_COMPILED = 1000;

/**
 * Limits that callers bring along in the place of configured ones: counted in windows aligned to the clock, by all that the
 * request says, apart from every configured limit. One that comes with another number goes on counting where it was.
 */
export class OverrideLimits {
  private readonly compiled = new LRUCache<string, EffectiveLimit>({ max: MAX_COMPILED });

  /** @param admitKey where it says no, a counter is used that the tenant's further ones share */
  apply(
    request: TogetherRequest & Required<Pick<TogetherRequest, 'override'>>,
    { tenant }: TenantRecord,
    nowMs: number,
    admitKey: AdmitKey,
  ): Applied {
    const { api, operation, subject = {}, override, cost = 1 } = request;
    const limit = this.limitOf(api, override.limit, override.windowMs, nowMs);
    // A window's length is another counter, and no name of a limit has this mark: it never meets a configured one.
    const stem = `${limit.keyStem}!${override.windowMs}`;
    const said = JSON.stringify([operation, Object.entries(subject).sort()]);
    const digest = createHash('sha256').update(said).digest('base64url');
    const ownKey = counterKey(tenant, stem, [dimensionValue('said', digest) ?? digest]);
    const key = admitKey(tenant, ownKey, nowMs) ? ownKey : overflowKey(tenant, stem);
    return { limit, mode: 'enforce', check: { key, policy: limit.policy(nowMs, 'enforce'), cost } };
  }

  private limitOf(api: string, limit: number, windowMs: number, nowMs: number): EffectiveLimit {
    const name = `${api}/${limit}/${windowMs}`;
    let compiled = this.compiled.get(name);
    if (compiled === undefined) {
      const stored = policyOf(api, limit, windowMs);
      compiled = new EffectiveLimit(() => compiledOrThrow(stored), nowMs, false, 'override');
      this.compiled.set(name, compiled);
    }
    return compiled;
  }
}

function policyOf(api: string, limit: number, windowMs: number): FixedWindowPolicy {
  return {
    name: CALLERS_LIMIT,
    api,
    operations: [],
    per: [],
    onUnavailable: 'share',
    algorithm: 'fixed_window',
    limit,
    windowMs,
    alignment: 'clock',
  };
}

function compiledOrThrow(stored: FixedWindowPolicy) {
  const result = compileLimit(stored);
  if (result.ok) return result.limit;
  throw new Error(`a caller's limit of ${stored.limit} per ${stored.windowMs} ms cannot be compiled`);
}
