import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { ConfirmationHost } from '../components/confirmation-host.js';
import { queryClient } from '../lib/query-client.js';
import { leaveEndedSession } from './leave-ended-session.js';
import { createConsoleRouter } from './router.js';
import { ConnectionBanner } from './shell/connection-banner.js';
import { SignInPrompts } from './sign-in-prompts.js';
import { colorSchemeManager, theme } from './theme.js';

const router = createConsoleRouter(queryClient);

leaveEndedSession(router, queryClient);

/** Reloads pages that failed to load. */
const reopen = () => void router.invalidate();

export function Providers() {
  return (
    <QueryClientProvider client={queryClient}>
      <MantineProvider theme={theme} colorSchemeManager={colorSchemeManager} defaultColorScheme="auto">
        <Notifications position="bottom-right" containerWidth={400} limit={4} />
        <RouterProvider router={router} />
        <ConnectionBanner onRecovered={reopen} />
        <ConfirmationHost />
        <SignInPrompts />
      </MantineProvider>
    </QueryClientProvider>
  );
}
