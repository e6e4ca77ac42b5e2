import type { GcraPolicy } from '@tollgate/contracts';
import { virtualTime } from './virtual-time.js';

/**
 * Generic cell rate algorithm: one every interval, and `burst` more at once than the one that this lets through.
 * @see docs/adr/0012-algorithms-second-form.md
 */
export const gcra = virtualTime<GcraPolicy>('gcra', 2, 'g1', ({ burst }) => ({
  field: 'burst',
  capacity: burst + 1,
}));
