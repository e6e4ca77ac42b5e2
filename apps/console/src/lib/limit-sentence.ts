import { summarizeLimit } from '@tollgate/contracts/limit-summary';
import type { LimitSpec } from './limit-spec.js';

/** The server's `summary` of an edit that the server has not seen. For stored limits show `summary` itself. */
export function limitSentence({
  algorithm,
  apiKey: api,
  alignment,
  burst,
  onUnavailable,
  ...rest
}: LimitSpec): string {
  const common = { ...rest, api, onUnavailable: ON_UNAVAILABLE[onUnavailable] };
  return algorithm === 'FIXED_WINDOW'
    ? summarizeLimit({
        ...common,
        algorithm: 'fixed_window',
        alignment: alignment === 'FIRST_REQUEST' ? 'first_request' : 'clock',
      })
    : summarizeLimit({ ...common, algorithm: 'gcra', burst: burst ?? 0 });
}

const ON_UNAVAILABLE = { SHARE: 'share', DENY: 'deny', ALLOW: 'allow' } as const;
