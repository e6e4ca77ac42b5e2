import type { LimitPolicy } from '@tollgate/contracts';
import { diffLimits, identityOf } from './limit-diff.js';

/**
 * Puts edits made on `oldBase` on top of `newBase`: what was edited stays as edited, everything else becomes what it
 * is now. A limit removed on either side and untouched on the other stays removed.
 */
export function rebaseLimits(
  edited: readonly LimitPolicy[],
  oldBase: readonly LimitPolicy[],
  newBase: readonly LimitPolicy[],
): LimitPolicy[] {
  const touched = new Set(diffLimits(oldBase, edited).map(identityOf));
  const editedByIdentity = new Map(edited.map((limit) => [identityOf(limit), limit]));
  const present = new Set(newBase.map(identityOf));
  const kept = newBase.flatMap((limit) => {
    if (!touched.has(identityOf(limit))) return [limit];
    const mine = editedByIdentity.get(identityOf(limit));
    return mine ? [mine] : [];
  });
  const added = edited.filter((limit) => touched.has(identityOf(limit)) && !present.has(identityOf(limit)));
  return [...kept, ...added];
}
