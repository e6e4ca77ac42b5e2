import { Button, Modal, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FocusEvent, useEffect, useState } from 'react';
import { PasskeySignIn } from '../features/account-security/passkey-sign-in.js';
import { SecondFactorForm } from '../features/account-security/second-factor-form.js';
import { SignInForm } from '../features/session/sign-in-form.js';
import { type SignInPrompt, sessionUser } from '../lib/session.js';
import { readViewer, viewerQuery } from '../lib/viewer.js';

/** Above all dialogs and menus of the page. */
const ABOVE_ALL = 1000;

/** Mantine closes no dialog below on Escape from such an element: its input would be lost. */
const keepEscape = ({ target }: FocusEvent) => target.setAttribute('data-mantine-stop-propagation', 'true');

/**
 * Signs in again over a page, which stays open below. Hides the page, because somebody else may see the screen now. Ends also
 * if the user signed in in another tab.
 */
export default function SessionEndedDialog({ onDone, onClose }: SignInPrompt) {
  const [former] = useState(sessionUser);
  const [isSecondStep, setSecondStep] = useState(false);
  const queryClient = useQueryClient();
  const { data: viewer, refetch } = useQuery({
    queryKey: [...viewerQuery.queryKey, 'again'],
    queryFn: ({ signal }) => readViewer(signal),
    ...{ retry: false, gcTime: 0, staleTime: 0 },
  });
  const enter = () => void refetch();
  // The user may have signed in in another tab.
  useWindowEvent('focus', enter);
  useEffect(() => {
    if (viewer === undefined) return;
    // The page and its input belong to the former user.
    if (viewer.id !== former?.id) {
      window.location.replace('/');
      return;
    }
    queryClient.setQueryData(viewerQuery.queryKey, viewer);
    onDone();
  }, [viewer, former, queryClient, onDone]);
  return (
    <Modal
      opened
      onClose={onClose}
      title="Your session has ended"
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={ABOVE_ALL}
      overlayProps={{ color: 'var(--mantine-color-body)', backgroundOpacity: 1 }}
      onFocusCapture={keepEscape}
    >
      <Text size="sm" c="dimmed" mb="md">
        Sign in again to continue. The page and everything that you entered are kept.
      </Text>
      {isSecondStep ? (
        <SecondFactorForm onSignedIn={enter} />
      ) : (
        <>
          <SignInForm
            email={former?.email ?? undefined}
            onDone={(result) => (result === 'signed-in' ? enter() : setSecondStep(true))}
          />
          <PasskeySignIn onSignedIn={enter} />
        </>
      )}
      <Button variant="subtle" size="sm" fullWidth mt="sm" onClick={onClose}>
        Leave this page
      </Button>
    </Modal>
  );
}
