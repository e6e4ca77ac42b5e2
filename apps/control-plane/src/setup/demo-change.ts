import { type Caller, SYSTEM_ACTOR } from '../platform/access/actor.js';
import type { Outcome } from '../platform/changes/outcome.js';
import { newId } from '../platform/ids.js';

/** Why the demo was made, in the audit trail. */
export const DEMO_REASON = 'Demo data';

/** Who makes the demo. */
export const DEMO_CALLER: Caller = { actor: SYSTEM_ACTOR, requestId: newId('request') };

/** @throws Error when the change was refused: demo data that cannot be used is a mistake of ours. */
export function getValue<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  const errors = outcome.errors.map((error) => `${error.field?.join('.') ?? ''}: ${error.message}`);
  throw new Error(`Set-up was refused: ${errors.join('; ')}`);
}
