import { userError } from '../../../platform/changes/outcome.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';

/** What is wrong with a configuration, by its place in the document. */
export function invalid(path: string[], message: string): UserError {
  return userError(UserErrorCode.INVALID, ['document', ...path], message);
}
