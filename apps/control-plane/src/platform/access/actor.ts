import type { IncomingHttpHeaders } from 'node:http';
import type { ActorKind, OperatorRole } from '@tollgate/database';
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
import type { Permission } from './permissions.js';
import { rightsOfScopes } from './token-scopes.js';

/** Who is asking, once established. */
export interface Actor {
  kind: ActorKind;
  /** Id of the user or service token; `setup` for Tollgate itself. */
  id: string;
  /** How the audit trail names the actor: an address, a token's name, or `setup`. */
  label: string;
  name: string;
  email: string | null;
  /** Null: no operator; acts in its tenants only. */
  role: OperatorRole | null;
  memberships: readonly Membership[];
  ability: Ability;
  /** Of a person who has signed in: the session of this request. */
  sessionId?: string;
  /** Of a service token that acts in some tenants only: their ids. */
  restrictedTo?: readonly string[];
}

/** Who asks for a change, and in which request. */
export interface Caller {
  actor: Actor;
  requestId: string;
  /** Where the request came from, as proxies that are trusted say. */
  address?: string;
  /** Client that sent the request, from its headers. */
  userAgent?: string | undefined;
  /** Run everything, then roll back: the caller wants the outcome only. */
  dryRun?: boolean;
  /** Receives the impact of a dry run. */
  onImpact?: (impact: Impact) => void;
  /** Steps that an earlier attempt under the same Idempotency-Key has completed. */
  steps?: StepLog;
  /** Change objects that a configuration file manages. */
  force?: boolean;
  /** The change comes from a configuration file. */
  fromConfig?: boolean;
}

/** Establishes who sent a request: by session cookie or bearer token. */
export abstract class ActorSource {
  /** Undefined when the request carries no credential, or one that is not valid. */
  abstract findActor(headers: IncomingHttpHeaders): Promise<Actor | undefined>;
}

/** Whether the actor has a permission over all tenants. */
export function isPermitted(actor: Actor, permission: Permission): boolean {
  return mayEverywhere(actor.ability, permission);
}

/** The tenants that an actor may see at all: all of them for operators, its own for a member or a restricted token. */
export function visibleTenants(actor: Actor): 'all' | string[] {
  if (actor.restrictedTo !== undefined) return [...actor.restrictedTo];
  return actor.kind === 'USER' && actor.role === null
    ? actor.memberships.map(({ tenantId }) => tenantId)
    : 'all';
}

/** Whether an actor may learn that a tenant with this key exists: any tenant, or one of the actor's. */
export function seesTenant(actor: Actor, tenantKey: string): boolean {
  return visibleTenants(actor) === 'all' || mayAnythingIn(actor.ability, tenantKey);
}

/** The tenants in which an actor has a permission. */
export function permittedTenants(actor: Actor, permission: Permission): 'all' | string[] {
  if (isPermitted(actor, permission)) return 'all';
  // A token may do the same in all of its tenants.
  if (actor.restrictedTo !== undefined)
    return maySomewhere(actor.ability, permission) ? [...actor.restrictedTo] : [];
  return actor.memberships
    .filter(({ tenantKey }) => mayIn(actor.ability, permission, tenantKey))
    .map(({ tenantId }) => tenantId);
}

/** A service token. @param tenantIds of the tenants that it is limited to */
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

/** Tollgate itself, in setup and jobs. */
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

/** Tollgate itself, as the job of this name. */
export function jobActor(job: string): Actor {
  return { ...SYSTEM_ACTOR, id: job, label: `job ${job}`, name: `Job ${job}` };
}
