import { type ChildFloor, findFloorProblem, MAX_FLOORS } from '@tollgate/contracts';
import { invalid, notFound } from '../../../platform/changes/outcome.js';
import type { UserError } from '../../../platform/graphql/mutation.graphql.js';
import type { TenantSituation } from './tenant-record.repository.js';

/** Problems of the floors of a child. @param siblings floors of the other children of the parent */
export function findFloorProblems(
  { limits }: TenantSituation['view'],
  siblings: readonly ChildFloor[],
  floors: readonly ChildFloor[],
): UserError[] {
  if (siblings.length + floors.length > MAX_FLOORS)
    return [invalid(['floors'], `The children of a tenant have ${MAX_FLOORS} floors at most, all together.`)];
  return floors.flatMap(({ api, limit, units }, index) => {
    const policy = limits.find((one) => one.policy.api === api && one.policy.name === limit)?.policy;
    const at = (field: string, message: string) => [invalid(['floors', String(index), field], message)];
    if (policy === undefined)
      return [notFound(['floors', String(index), 'limit'], `limit "${limit}" on API "${api}" of the parent`)];
    const problem = findFloorProblem(policy);
    if (problem !== undefined) return at('limit', problem);
    const others = siblings
      .filter((one) => one.api === api && one.limit === limit)
      .reduce((sum, one) => sum + one.units, 0);
    if (others + units <= policy.limit) return [];
    const left = Math.max(0, policy.limit - others);
    return at(
      'units',
      `Of the ${policy.limit} units of ${limit}, other children have ${others}. Enter ${left} at most.`,
    );
  });
}
