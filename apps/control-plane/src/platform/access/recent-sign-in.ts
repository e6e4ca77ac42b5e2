import { SetMetadata } from '@nestjs/common';
import { ApiError } from '../api-error.js';
import type { Actor } from './actor.js';

/** Time after the start of a session in which it may change credentials. Confirming the password starts another session. */
export const RECENT_SIGN_IN_SECONDS = 600;

/** better-auth's code for the same. */
export const NOT_RECENT = 'SESSION_NOT_FRESH';

export const NOT_RECENT_MESSAGE =
  'Confirm that it is you: enter your password, use a passkey or sign in again. Then repeat the request.';

export const NEEDS_RECENT_SIGN_IN = 'tollgate:needs-recent-sign-in';

/** Denies sessions of people that began more than {@link RECENT_SIGN_IN_SECONDS} ago. Tokens are not affected. */
export const RequireRecentSignIn = () => SetMetadata(NEEDS_RECENT_SIGN_IN, true);

export const isRecent = (signedInAt: Date): boolean =>
  Date.now() - signedInAt.getTime() < RECENT_SIGN_IN_SECONDS * 1000;

/** @throws ApiError SESSION_NOT_FRESH */
export function checkRecentSignIn({ signedInAt }: Actor): void {
  if (signedInAt !== undefined && !isRecent(signedInAt)) throw new ApiError(NOT_RECENT, NOT_RECENT_MESSAGE);
}
