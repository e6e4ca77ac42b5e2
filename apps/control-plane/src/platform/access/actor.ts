import type { IncomingHttpHeaders } from 'node:http';
import type { ActorKind, OperatorRole } from '@tollgate/database';
import { type Permission, permissionsOf } from './permissions.js';

/** Who is asking, once established. */
export interface Actor {
  kind: ActorKind;
  /** Id of the user or service token; `setup` for Tollgate itself. */
  id: string;
  /** How the audit trail names the actor: an address, a token's name, or `setup`. */
  label: string;
  name: string;
  email: string | null;
  role: OperatorRole;
  permissions: ReadonlySet<Permission>;
}

/** Who asks for a change, and in which request. */
export interface Caller {
  actor: Actor;
  requestId: string;
}

/** Establishes who sent a request: by session cookie or bearer token. */
export abstract class ActorSource {
  /** Undefined when the request carries no credential, or one that is not valid. */
  abstract findActor(headers: IncomingHttpHeaders): Promise<Actor | undefined>;
}

/** Tollgate itself, for what it does at set-up. */
export const SYSTEM_ACTOR: Actor = {
  kind: 'SYSTEM',
  id: 'setup',
  label: 'setup',
  name: 'Tollgate set-up',
  email: null,
  role: 'OWNER',
  permissions: permissionsOf('OWNER'),
};
