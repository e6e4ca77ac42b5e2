import { lazy, Suspense, useSyncExternalStore } from 'react';
import { pendingQuestion } from './confirmation.js';

const ConfirmationDialog = lazy(() => import('./confirmation-dialog.js'));

/** Where `askToConfirm` is shown; its dialog is fetched with the first question. */
export function ConfirmationHost() {
  const question = useSyncExternalStore(pendingQuestion.subscribe, pendingQuestion.get);
  if (question === undefined) return null;
  return (
    <Suspense>
      <ConfirmationDialog question={question} />
    </Suspense>
  );
}
