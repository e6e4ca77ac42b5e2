import { AuthError, authRequest } from '../../lib/auth-request.js';

/** Result of a correct password: a session, or a second step. */
export type SignInResult = 'signed-in' | 'second-factor';

const MISMATCH = 'This email and password do not match. Check both and try again.';
const SIGN_IN_ERRORS = {
  401: MISMATCH,
  403: MISMATCH,
  503: 'The control plane is temporarily unavailable. Try again in a moment.',
};

/**
 * Opens a session, or starts the second step; the response sets the cookies.
 * @throws AuthError with a text to show
 */
export async function signIn(credentials: { email: string; password: string }): Promise<SignInResult> {
  type Answer = { twoFactorRedirect?: boolean } | null;
  const answer = await authRequest<Answer>('/sign-in/email', credentials, SIGN_IN_ERRORS);
  return answer?.twoFactorRedirect === true ? 'second-factor' : 'signed-in';
}

/**
 * Ends the session, if there is one.
 * @throws AuthError if it may still be open
 */
export async function signOut(): Promise<void> {
  await authRequest('/sign-out', {}).catch(() => {
    throw new AuthError('The control plane did not end the session. You are still signed in; try again.');
  });
}
