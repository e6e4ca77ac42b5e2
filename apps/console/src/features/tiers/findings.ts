import type { LimitPolicy } from '@tollgate/contracts';
import type { LintFinding } from './api/tier-lint.js';
import { identityOf } from './limit-diff.js';

/** Findings by the limit that they are about, and those about none of them. @param limits of the version, in its order */
export function placeFindings(
  findings: readonly LintFinding[],
  limits: readonly LimitPolicy[],
): { byLimit: Map<string, LintFinding[]>; others: LintFinding[] } {
  const byLimit = new Map<string, LintFinding[]>();
  const others: LintFinding[] = [];
  for (const finding of findings) {
    const [kind, index] = finding.path;
    const limit = kind === 'limits' ? limits[Number(index)] : undefined;
    if (!limit) others.push(finding);
    else byLimit.set(identityOf(limit), [...(byLimit.get(identityOf(limit)) ?? []), finding]);
  }
  return { byLimit, others };
}
