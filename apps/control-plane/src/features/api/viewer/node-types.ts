import { mayIn } from '../../../platform/access/ability.js';
import { type Actor, isPermitted } from '../../../platform/access/actor.js';
import type { Permission } from '../../../platform/access/permissions.js';
import type { IdKind } from '../../../platform/ids/new-id.js';

/** How things of one kind of id are found. */
export interface NodeType {
  typename: string;
  /** The thing, if there is one and the actor may read it. */
  find(id: string, actor: Actor): Promise<object | null>;
}

export type NodeTypes = Partial<Record<IdKind, NodeType>>;

/** Of the operators: read with a permission over all tenants. */
export function ofOperators(
  typename: string,
  permission: Permission,
  find: (id: string) => Promise<object | null>,
): NodeType {
  return { typename, find: async (id, actor) => (isPermitted(actor, permission) ? find(id) : null) };
}

/** Of one tenant: its members may read it, too. @param keyOf that tenant's key; null: of the operators */
export function ofTenant<T extends object>(
  typename: string,
  permission: Permission,
  find: (id: string) => Promise<T | null>,
  keyOf: (found: T) => string | null | Promise<string | null>,
): NodeType {
  return {
    typename,
    find: async (id, { ability }) => {
      const found = await find(id);
      if (found === null) return null;
      return mayIn(ability, permission, (await keyOf(found)) ?? '') ? found : null;
    },
  };
}
