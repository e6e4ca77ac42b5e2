import { lazy, Suspense, useSyncExternalStore } from 'react';
import { loadChunk } from '../lib/query-client.js';
import { identityPrompt, sessionPrompt } from '../lib/session.js';

const IdentityDialog = lazy(() => loadChunk(() => import('../features/account-security/identity-dialog.js')));
const SessionEndedDialog = lazy(() => loadChunk(() => import('./session-ended-dialog.js')));

/** Renders the dialogs of requests that need a sign-in, loaded on first use. */
export function SignInPrompts() {
  const identity = useSyncExternalStore(identityPrompt.subscribe, identityPrompt.get);
  const session = useSyncExternalStore(sessionPrompt.subscribe, sessionPrompt.get);
  return (
    <>
      <Suspense>{identity && <IdentityDialog {...identity} />}</Suspense>
      <Suspense>{session && <SessionEndedDialog {...session} />}</Suspense>
    </>
  );
}
