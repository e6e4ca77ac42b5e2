import { lazy, Suspense, useSyncExternalStore } from 'react';
import { loadChunk } from '../lib/query-client.js';
import { pendingQuestion } from './confirmation.js';

const ConfirmationDialog = lazy(() => loadChunk(() => import('./confirmation-dialog.js')));

/** Renders the dialog of `askToConfirm`, loaded on first use. */
export function ConfirmationHost() {
  const question = useSyncExternalStore(pendingQuestion.subscribe, pendingQuestion.get);
  if (question === undefined) return null;
  return (
    <Suspense>
      <ConfirmationDialog question={question} />
    </Suspense>
  );
}
