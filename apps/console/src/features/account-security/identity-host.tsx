import { lazy, Suspense, useSyncExternalStore } from 'react';
import { loadChunk } from '../../lib/query-client.js';
import { identityRequest } from '../../lib/recent-sign-in.js';

const IdentityDialog = lazy(() => loadChunk(() => import('./identity-dialog.js')));

/** Renders the dialog of `withRecentSignIn`, loaded on first use. */
export function IdentityHost() {
  const request = useSyncExternalStore(identityRequest.subscribe, identityRequest.get);
  if (request === undefined) return null;
  return (
    <Suspense>
      <IdentityDialog {...request} />
    </Suspense>
  );
}
