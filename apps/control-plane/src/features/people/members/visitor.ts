import { abilityOf } from '../../../platform/access/ability.js';
import type { Actor } from '../../../platform/access/actor.js';

/** Whoever asks without having signed in, or with: what is known of them. */
export interface Visitor {
  actor: Actor | undefined;
  address: string;
  cookie: string | undefined;
  requestId: string;
  dryRun: boolean;
}

/** Whoever an invitation is for, once they have shown that they are. */
export interface Person {
  /** Undefined: somebody new. */
  id: string | undefined;
  email: string;
  name: string;
  passwordHash?: string;
}

/** Somebody who accepts, as the audit trail names them. */
export function personActor({ id, email, name }: Person): Actor {
  return { ...visitorActor(email), id: id ?? 'new', name };
}

/** Somebody who has no account yet, and may do nothing but this. */
export function visitorActor(email: string): Actor {
  const ability = abilityOf(null, []);
  return { kind: 'USER', id: 'new', label: email, name: email, email, role: null, memberships: [], ability };
}
