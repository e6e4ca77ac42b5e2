import type { PolicyOf } from '@tollgate/contracts';
import { virtualTime } from './virtual-time.js';

/**
 * A bucket that is refilled steadily. Tokens that are there are what the stored time leaves of the capacity: the bucket
 * is full when that time is over.
 * @see docs/adr/0012-algorithms-second-form.md
 */
export const tokenBucket = virtualTime<PolicyOf<'token_bucket'>>('token_bucket', 6, 't1', ({ capacity }) => ({
  field: 'capacity',
  capacity,
}));
