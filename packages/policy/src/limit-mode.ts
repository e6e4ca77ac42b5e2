import type { LimitPolicy } from '@tollgate/contracts';
import { hashText } from '@tollgate/limiter/rules';

/** `shadow` and `candidate` limits are counted only. */
export type LimitMode = 'enforce' | 'shadow' | 'candidate';

/** Mode of the counter `key` of a limit. */
export function modeOf(
  {
    candidate,
    stored: { enforcement },
  }: { readonly candidate: boolean; readonly stored: Pick<LimitPolicy, 'enforcement'> },
  key: string,
): LimitMode {
  if (candidate) return 'candidate';
  if (enforcement === undefined || enforcement.mode === 'enforce') return 'enforce';
  if (enforcement.mode === 'shadow') return 'shadow';
  // A hash of the key, so that a counter keeps its mode from request to request.
  return hashText(key) % 100 < enforcement.percent ? 'enforce' : 'shadow';
}
