import { amountOf, type LimitPolicy } from '@tollgate/contracts';

/** What of a limit a counter is for: the limit, the rule that it tries, the amount of a label, or a part of it for children. */
export type LimitPart =
  | { readonly kind: 'live' | 'candidate' }
  /** Without a label: the amount of all labels without their own. */
  | { readonly kind: 'amount'; readonly label?: string }
  | { readonly kind: 'share'; readonly units: number; readonly label: string };

export const LIVE: LimitPart = { kind: 'live' };
export const CANDIDATE: LimitPart = { kind: 'candidate' };

/** Undefined if the limit has no such part. */
export function partOf(live: LimitPolicy, part: LimitPart): LimitPolicy | undefined {
  switch (part.kind) {
    case 'live':
      return live;
    case 'candidate':
      return live.candidate && candidateOf({ ...live, candidate: live.candidate });
    case 'amount':
      return amountOf(live, part.label);
    case 'share':
      return { ...live, limit: part.units };
  }
}

function candidateOf(live: LimitPolicy & { candidate: NonNullable<LimitPolicy['candidate']> }): LimitPolicy {
  const { name, api, operations, per, onUnavailable, onMissing, candidate, charge, attemptTimeoutMs } = live;
  return {
    name,
    api,
    operations,
    per,
    onUnavailable,
    ...(onMissing === undefined ? {} : { onMissing }),
    ...(charge === undefined ? {} : { charge }),
    ...(attemptTimeoutMs === undefined ? {} : { attemptTimeoutMs }),
    ...candidate,
  };
}
