import type { UnknownOperations } from '../../../generated/graphql.js';

/** What happens to an operation that nobody registered, in one word or two. */
export const UNKNOWN_OPERATIONS: Record<UnknownOperations, string> = { ALLOW: 'Allowed', REFUSE: 'Refused' };
