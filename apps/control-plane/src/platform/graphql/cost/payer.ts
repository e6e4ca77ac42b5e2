import { dimensionValue } from '@tollgate/decision-plane/internals';
import type { Actor } from '../../access/actor.js';

export type PayerKind = 'operator' | 'token' | 'member' | 'address';

/** Whose points a document is paid with. */
export interface Payer {
  kind: PayerKind;
  /** How it is written in a counter's key; differs between any two payers of a kind. */
  keyValue: string;
}

/** The actor; or, before anybody has signed in, the address that the document came from. */
export function payerOf(actor: Actor | undefined, address: string): Payer {
  if (actor === undefined) {
    // What is no address shares one bucket: nobody gets a fresh one by sending nonsense.
    return { kind: 'address', keyValue: dimensionValue('ip', address) ?? '~' };
  }
  return { kind: kindOf(actor), keyValue: dimensionValue('actor', actor.id) ?? '=' };
}

function kindOf({ kind, role }: Actor): PayerKind {
  if (kind === 'TOKEN') return 'token';
  return role === null ? 'member' : 'operator';
}
