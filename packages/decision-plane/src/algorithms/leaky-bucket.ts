import type { PolicyOf } from '@tollgate/contracts';
import { virtualTime } from './virtual-time.js';

/**
 * A queue of at most `queue` that drains at a constant rate. The first request runs at once, each one behind it when its
 * turn comes; the wait is told, and the request is the caller's to hold.
 * @see docs/adr/0012-algorithms-second-form.md
 */
export const leakyBucket = virtualTime<PolicyOf<'leaky_bucket'>>('leaky_bucket', 8, 'b1', ({ queue }) => ({
  field: 'queue',
  capacity: queue + 1,
}));
