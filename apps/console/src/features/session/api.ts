/** A failed sign-in or sign-out, with a text to show. */
export class SignInError extends Error {
  override readonly name = 'SignInError';
}

/** Result of a correct password: a session, or a second step. */
export type SignInResult = 'signed-in' | 'second-factor';

/**
 * Opens a session, or starts the second step; cookies are set by the answer.
 * @throws SignInError with a text to show.
 */
export async function signIn(credentials: { email: string; password: string }): Promise<SignInResult> {
  const response = await fetch('/api/auth/sign-in/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    credentials: 'same-origin',
    body: JSON.stringify(credentials),
  }).catch(() => {
    throw new SignInError('The control plane is unreachable. Check that it is running, then try again.');
  });
  if (response.ok) {
    const body = (await response.json().catch(() => null)) as { twoFactorRedirect?: boolean } | null;
    return body?.twoFactorRedirect === true ? 'second-factor' : 'signed-in';
  }
  if (response.status === 401 || response.status === 403) {
    throw new SignInError('This email and password do not match. Check both and try again.');
  }
  if (response.status === 429) throw new SignInError(await waitTextOf(response));
  if (response.status === 503)
    throw new SignInError('The control plane is temporarily unavailable. Try again in a moment.');
  throw new SignInError(`Sign-in failed with status ${response.status}. See the log of the control plane.`);
}

/**
 * Ends the session; succeeds also when it had ended before.
 * @throws SignInError when it may still be open.
 */
export async function signOut(): Promise<void> {
  const response = await fetch('/api/auth/sign-out', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    credentials: 'same-origin',
    body: '{}',
  }).catch(() => undefined);
  if (!response?.ok)
    throw new SignInError('The control plane did not end the session. You are still signed in; try again.');
}

/** The server's text: it contains the time to wait. */
async function waitTextOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => null)) as { message?: string } | null;
  return body?.message ?? 'Too many attempts. Wait a minute, then try again.';
}
