import type { IncomingHttpHeaders } from 'node:http';
import type { ActorKind, OperatorRole } from '@tollgate/database';
import { forbidden } from '../api-error.js';
import type { StepLog } from '../changes/outcome.js';
import type { Impact } from '../graphql/mutation.graphql.js';
import {
  type Ability,
  abilityOf,
  abilityOfToken,
  type Membership,
  mayAnythingIn,
  mayEverywhere,
  mayIn,
  maySomewhere,
} from './ability.js';
import { PERMISSIONS, type Permission, rightsOfScopes } from './permissions.js';

/** The authenticated sender of a request. */
export interface Actor {
  kind: ActorKind;
  /** Id of the user or service token; `setup` for the system. */
  id: string;
  /** Name in the audit trail: an email address, the name of a token, or `setup`. */
  label: string;
  name: string;
  email: string | null;
  /** Null: not an operator. */
  role: OperatorRole | null;
  memberships: readonly Membership[];
  ability: Ability;
  /** Session of this request, for users. */
  sessionId?: string;
  /** When this session began, for users. */
  signedInAt?: Date;
  /** Ids of the tenants that a service token is limited to. */
  restrictedTo?: readonly string[];
}

/** The sender of a change and its request. */
export interface Caller {
  actor: Actor;
  requestId: string;
  /** IP address, considering trusted proxies. */
  address?: string;
  userAgent?: string | undefined;
  /** Roll back after computing the outcome. */
  dryRun?: boolean;
  /** Receives the impact of a dry run. */
  onImpact?: (impact: Impact) => void;
  /** Steps that an earlier attempt under the same Idempotency-Key has completed. */
  steps?: StepLog;
  force?: boolean;
  fromConfig?: boolean;
}

export abstract class ActorSource {
  /** Undefined without valid credentials. */
  abstract findActor(headers: IncomingHttpHeaders): Promise<Actor | undefined>;
}

/** Whether the actor has the permission for all tenants. */
export function isPermitted(actor: Actor, permission: Permission): boolean {
  return mayEverywhere(actor.ability, permission);
}

/** @throws ApiError FORBIDDEN without the permission for all tenants */
export function checkPermitted(actor: Actor, permission: Permission): void {
  if (isPermitted(actor, permission)) return;
  throw forbidden(permission, maySomewhere(actor.ability, permission) ? 'for all tenants' : '');
}

/** Whether the actor has any permission of this API. Tokens for the decision API have none. */
export function hasAccess({ ability }: Actor): boolean {
  return PERMISSIONS.some((permission) => maySomewhere(ability, permission));
}

/** Whether the actor is a service token with the scope `admin` for all tenants. */
export function isAdminToken({ kind, role }: Actor): boolean {
  return kind === 'TOKEN' && role === 'OWNER';
}

/** Tenants that the actor may see: all for operators, its own for members and limited tokens. */
export function visibleTenants(actor: Actor): 'all' | string[] {
  if (actor.restrictedTo !== undefined) return [...actor.restrictedTo];
  return actor.kind === 'USER' && actor.role === null
    ? actor.memberships.map(({ tenantId }) => tenantId)
    : 'all';
}

/** Whether the actor may learn that this tenant exists. */
export function seesTenant(actor: Actor, tenantKey: string): boolean {
  return visibleTenants(actor) === 'all' || mayAnythingIn(actor.ability, tenantKey);
}

export function permittedTenants(actor: Actor, permission: Permission): 'all' | string[] {
  if (isPermitted(actor, permission)) return 'all';
  // The permissions of a token are the same in all of its tenants.
  if (actor.restrictedTo !== undefined)
    return maySomewhere(actor.ability, permission) ? [...actor.restrictedTo] : [];
  return actor.memberships
    .filter(({ tenantKey }) => mayIn(actor.ability, permission, tenantKey))
    .map(({ tenantId }) => tenantId);
}

/** @param tenantIds tenants that the token is limited to */
export function tokenActor(
  token: { id: string; name: string; publicId: string; scopes: string[]; tenantKeys: string[] },
  tenantIds: readonly string[],
): Actor {
  const { id, name, publicId, scopes, tenantKeys } = token;
  const isLimited = tenantKeys.length > 0;
  return {
    kind: 'TOKEN',
    id,
    label: `${name} (${publicId})`,
    name,
    email: null,
    role: scopes.includes('admin') && !isLimited ? 'OWNER' : null,
    memberships: [],
    ability: abilityOfToken(rightsOfScopes(scopes), tenantKeys),
    ...(isLimited ? { restrictedTo: tenantIds } : {}),
  };
}

export const SYSTEM_ACTOR: Actor = {
  kind: 'SYSTEM',
  id: 'setup',
  label: 'setup',
  name: 'Tollgate set-up',
  email: null,
  role: 'OWNER',
  memberships: [],
  ability: abilityOf('OWNER', []),
};

export function jobActor(job: string): Actor {
  return { ...SYSTEM_ACTOR, id: job, label: `job ${job}`, name: `Job ${job}` };
}
