import { MantineProvider } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { act, cleanup, configure, render, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { WAIT_LIMIT_MS } from '@tollgate/test-kit/eventually';
import { onTestFinished, vi } from 'vitest';
import { leaveEndedSession } from '../src/app/leave-ended-session.js';
import { createConsoleRouter } from '../src/app/router.js';
import { SignInPrompts } from '../src/app/sign-in-prompts.js';
import { theme } from '../src/app/theme.js';
import { ConfirmationHost } from '../src/components/confirmation-host.js';
import { type TypedDocumentString, ViewerDocument, type ViewerQuery } from '../src/generated/graphql.js';
import { RequestError } from '../src/lib/graphql-request.js';
import { forgetSession, queryClient } from '../src/lib/query-client.js';

configure({ asyncUtilTimeout: WAIT_LIMIT_MS });

/** Clicks twice before the page reacts. */
export const clickTwice = (button: HTMLElement) =>
  act(() => {
    button.click();
    button.click();
  });

const AUTH_PATH = '/api/auth';

type Answer<R, V> = R | ((variables: V) => R | Promise<R>);

interface Response {
  query: string;
  answer: (variables: unknown) => unknown;
}

/** The response to an operation: its data, or a function of its variables. A `RequestError` becomes an error response. */
export const respond = <R, V>(document: TypedDocumentString<R, V>, answer: Answer<R, V>): Response => ({
  query: document.toString(),
  answer: (variables) => (answer instanceof Function ? answer(variables as V) : answer),
});

/** The response of an endpoint of better-auth, such as `/sign-out`; otherwise as {@link respond}. */
export const respondAuth = (path: string, answer: Answer<object, unknown>): Response => ({
  query: path,
  answer: (body) => (answer instanceof Function ? answer(body) : answer),
});

/** A page of a list without further pages. */
export const pageOf = <Node = never>(...nodes: Node[]) => ({
  totalCount: nodes.length,
  pageInfo: { hasNextPage: false, endCursor: null },
  nodes,
});

export const PERMISSIONS = ['tiers', 'tenants', 'webhooks', 'audit', 'boosts', 'apis', 'overrides'].flatMap(
  (resource) => [`${resource}:read`, `${resource}:write`],
);

/** Signs in an operator with these permissions. Owners have `tiers:write`. */
export const viewerWith = (permissions: string[]) =>
  signedIn({ role: 'OWNER', permissions, memberships: [] });

/** Signs in a member of Acme with these permissions there. */
export const memberWith = (permissions: string[]) =>
  signedIn({
    ...{ role: null, permissions: [] },
    memberships: [{ tenantKey: 'acme', tenantName: 'Acme', role: 'OWNER', permissions }],
  });

const signedIn = (part: Pick<ViewerQuery['viewer'], 'role' | 'permissions' | 'memberships'>) =>
  respond(ViewerDocument, {
    viewer: { id: 'usr_1', name: 'Ada Admin', email: 'ada@example.com', ...part },
    permissionRoles: [{ permission: 'tiers:write', operatorRoles: ['OWNER'] }],
  });

/**
 * Opens a page of the console at an address. The table answers its requests; an operation without a response is forbidden, and
 * live streams stay silent. Responses may be added while the page is open; the last one of an operation counts.
 */
export function openPage(address: string, ...table: Response[]) {
  const responses = [viewerWith(PERMISSIONS), ...table];
  const requests: { query: string; variables: unknown; key: string | null }[] = [];
  vi.stubGlobal('fetch', async (url: string, { body, headers, signal }: RequestInit) => {
    const sentHeaders = new Headers(headers);
    if (sentHeaders.get('accept') === 'text/event-stream') return pendingUntil(signal);
    const parsed = body === undefined ? {} : JSON.parse(String(body));
    const isAuth = url.startsWith(AUTH_PATH);
    const { query, variables } = isAuth ? { query: url.slice(AUTH_PATH.length), variables: parsed } : parsed;
    requests.push({ query, variables, key: sentHeaders.get('idempotency-key') });
    const response = responses.findLast((one) => one.query === query);
    try {
      if (response === undefined) throw new RequestError('FORBIDDEN', 'No response in the table');
      const data = await response.answer(variables);
      return Response.json(isAuth ? data : { data });
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (isAuth) return Response.json({ code: error.code, message: error.message }, { status: 403 });
      return Response.json({ errors: [{ message: error.message, extensions: { code: error.code } }] });
    }
  });
  forgetSession(queryClient);
  queryClient.clear();
  localStorage.clear();
  // happy-dom has no fonts, whose arrival Mantine waits for.
  Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });
  const router = createConsoleRouter(queryClient);
  onTestFinished(leaveEndedSession(router, queryClient));
  render(
    <QueryClientProvider client={queryClient}>
      <MantineProvider theme={theme} env="test">
        <Notifications />
        <RouterProvider
          router={router}
          history={createMemoryHistory({ initialEntries: [address] })}
          // Preloading on hover asks for further operations.
          defaultPreload={false}
        />
        <ConfirmationHost />
        <SignInPrompts />
      </MantineProvider>
    </QueryClientProvider>,
  );
  onTestFinished(() => {
    cleanup();
    notifications.clean();
    queryClient.clear();
  });
  const requestsFor = <R, V>(document: TypedDocumentString<R, V>) =>
    requests.filter(({ query }) => query === document.toString());
  return {
    page: within(document.body),
    user: userEvent.setup(),
    router,
    /** The variables of the requests for an operation. */
    sent: <R, V>(document: TypedDocumentString<R, V>) =>
      requestsFor(document).map(({ variables }) => variables as V),
    /** Their idempotency keys. */
    keys: <R, V>(document: TypedDocumentString<R, V>) => requestsFor(document).map(({ key }) => key),
    /** The bodies of the requests to an endpoint of better-auth. */
    sentAuth: (path: string) =>
      requests.filter(({ query }) => query === path).map(({ variables }) => variables),
    answerWith: (...more: Response[]) => responses.push(...more),
    /** Reads all data again, as after a while. */
    refresh: () => void queryClient.invalidateQueries(),
  };
}

const pendingUntil = (signal: AbortSignal | null | undefined) =>
  new Promise<never>((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
