import type { Caller } from '../access/actor.js';
import { type UserError, UserErrorCode } from '../graphql/user-error.graphql.js';
import { ManagedBy } from '../prisma/schema.js';
import { userError } from './outcome.js';

/**
 * What keeps a caller from changing something that is kept in a configuration file; undefined: nothing. The file itself may,
 * Tollgate's own jobs may, and whoever forces it and says why: the next `apply` takes it back.
 */
export function findManaged(
  caller: Caller,
  { managedBy }: { managedBy: ManagedBy },
  what: string,
  reason: string | null,
): UserError | undefined {
  if (managedBy !== ManagedBy.CONFIG || caller.fromConfig === true || caller.actor.kind === 'SYSTEM')
    return undefined;
  if (caller.force !== true) {
    const message = `The ${what} is kept in a configuration file. Change it there and run \`tollgate config apply\`; or repeat this with force and a reason, until the next apply.`;
    return userError(UserErrorCode.MANAGED_BY_CONFIG, null, message);
  }
  if (reason !== null) return undefined;
  return userError(UserErrorCode.INVALID, ['reason'], 'With force, say why.');
}
