import { withSignIn } from './session.js';

/** An error of better-auth with a text to show. */
export class AuthError extends Error {
  override readonly name = 'AuthError';

  constructor(
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}

const TEXTS: Readonly<Record<string, string>> = {
  INVALID_PASSWORD: 'The password is wrong. Try again.',
  PASSWORD_TOO_SHORT: 'Use at least 8 characters.',
  PASSWORD_TOO_LONG: 'Use at most 128 characters.',
  INVALID_CODE: 'The code is wrong or has expired. Enter the current code from the app.',
  INVALID_BACKUP_CODE: 'This recovery code is wrong or was already used.',
  INVALID_TWO_FACTOR_COOKIE: 'This sign-in has expired. Start again with your password.',
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: 'Too many wrong codes. Start again with your password.',
  SESSION_NOT_FRESH: 'You did not confirm that it is you, so nothing was changed.',
  UNAUTHORIZED: 'Your session has ended. Sign in again.',
  INVALID_TOKEN: 'This link is no longer valid. Request a new one.',
  PASSKEY_NOT_FOUND: 'This passkey is not registered here. Sign in with your password.',
};

type Texts = Readonly<Record<number, string>>;

/**
 * Calls an endpoint of better-auth; `body` makes it a POST. Asks to sign in or to confirm if the endpoint needs it.
 * @param texts of errors by status
 * @throws AuthError with a text to show
 */
export function authRequest<T = unknown>(path: string, body?: object, texts: Texts = {}): Promise<T> {
  return withSignIn(() => send<T>(path, body, texts));
}

async function send<T>(path: string, body: object | undefined, texts: Texts): Promise<T> {
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(`/api/auth${path}`, {
    credentials: 'same-origin',
    ...(body === undefined ? {} : post),
  }).catch(() => {
    throw new AuthError('The control plane is unavailable. Check that it is running, then try again.');
  });
  const answer = (await response.json().catch(() => null)) as { code?: string; message?: string } | null;
  if (response.ok) return answer as T;
  const { code, message } = answer ?? {};
  const text = texts[response.status] ?? TEXTS[code ?? ''] ?? message;
  throw new AuthError(text ?? `The request failed with status ${response.status}.`, code);
}
