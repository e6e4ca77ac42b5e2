import { createSlot } from './slot.js';

/** The server's code for a change of credentials with a session that began minutes ago. */
const NOT_RECENT = 'SESSION_NOT_FRESH';

/** A dialog that asks the viewer for a secret. */
export interface IdentityRequest {
  onConfirmed: () => void;
  onClose: () => void;
}

let asking: Promise<boolean> | undefined;

/** The open request. */
export const identityRequest = createSlot<IdentityRequest>();

/** Whether the viewer has confirmed. Requests that fail together share one dialog. */
function askForIdentity(): Promise<boolean> {
  asking ??= new Promise<boolean>((resolve) => {
    identityRequest.set({ onConfirmed: () => resolve(true), onClose: () => resolve(false) });
  }).finally(() => {
    asking = undefined;
    identityRequest.set(undefined);
  });
  return asking;
}

/**
 * Sends a request. If it needs a recent sign-in, asks the viewer to confirm and sends it again; the first error counts
 * if the viewer does not.
 */
export async function withRecentSignIn<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const isOld = error instanceof Error && 'code' in error && error.code === NOT_RECENT;
    if (!isOld || !(await askForIdentity())) throw error;
    return send();
  }
}
