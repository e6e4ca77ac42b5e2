import type { UnknownOperations } from '../../../generated/graphql.js';

/** How unregistered operations are treated, in one word. */
export const UNKNOWN_OPERATIONS: Record<UnknownOperations, string> = {
  COUNT: 'Counted',
  ALLOW: 'Allowed',
  REFUSE: 'Refused',
};
