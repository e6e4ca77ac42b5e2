import { createSlot } from './slot.js';

/** A dialog that asks the viewer to sign in or to confirm. */
export interface SignInPrompt {
  onDone: () => void;
  onClose: () => void;
}

/** Requests that fail together share one dialog. */
function createPrompt() {
  const { get, set, subscribe } = createSlot<SignInPrompt>();
  let asking: Promise<boolean> | undefined;
  /** Whether the viewer has done what the dialog asks for. */
  const ask = (): Promise<boolean> => {
    asking ??= new Promise<boolean>((resolve) => {
      set({ onDone: () => resolve(true), onClose: () => resolve(false) });
    }).finally(() => {
      asking = undefined;
      set(undefined);
    });
    return asking;
  };
  return { get, subscribe, ask };
}

/** Asks for a secret before a change of credentials. */
export const identityPrompt = createPrompt();

/** Asks to sign in again over a page whose session has ended. */
export const sessionPrompt = createPrompt();

export interface SessionUser {
  id: string;
  email: string | null;
}

let user: SessionUser | undefined;

/** The user whose pages are open; undefined before the sign-in. */
export const sessionUser = (): SessionUser | undefined => user;

/** Without a user, closes the dialogs. */
export function setSessionUser(next: SessionUser | undefined): void {
  user = next;
  if (next !== undefined) return;
  for (const prompt of [identityPrompt, sessionPrompt]) prompt.get()?.onClose();
}

const PROMPTS: Readonly<Record<string, ReturnType<typeof createPrompt>>> = {
  /** A change of credentials with a session that began more than ten minutes ago. */
  SESSION_NOT_FRESH: identityPrompt,
  /** No session: by GraphQL and by better-auth. */
  UNAUTHENTICATED: sessionPrompt,
  UNAUTHORIZED: sessionPrompt,
};

/**
 * Sends a request. If it needs a sign-in that the viewer no longer has, asks for it and sends the request again; the first error
 * counts if the viewer does not sign in. Before the first sign-in it asks for nothing: the router opens the sign-in page.
 */
export async function withSignIn<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const prompt = PROMPTS[code];
    if (prompt === undefined || user === undefined || !(await prompt.ask())) throw error;
    return send();
  }
}
