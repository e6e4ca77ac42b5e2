import type { TypedDocumentString } from '../generated/graphql.js';
import { sessionUser } from './session.js';
import { REPEAT_MS, StreamHub, type StreamMessage, type Wanted } from './stream-hub.js';
import workerUrl from './stream-worker.ts?sharedworker&url';

export interface StreamListener<Data> {
  next(data: Data): void;
  /** The server ended or denied the subscription. Without this function, it begins again after {@link RETRY_AFTER_MS}. */
  end?(error: Error | undefined): void;
  /** No events come for a while; they return without a call. */
  interrupt?(): void;
}

interface Subscription {
  operation: string;
  listener: StreamListener<never>;
  error?: Error | undefined;
  retry?: ReturnType<typeof setTimeout>;
}

/** After the server denied a subscription, for example because it is overloaded. */
export const RETRY_AFTER_MS = 30_000;

type Send = (wanted: Wanted[]) => void;

const subscriptions = new Map<number, Subscription>();
let lastId = 0;
let hub: { viewerId: string; send: Send } | undefined;
let repeating: ReturnType<typeof setInterval> | undefined;
let isChanging = false;

/**
 * Follows a GraphQL subscription until the returned function is called, on one connection for all tabs of the browser: over
 * HTTP/1.1, six would leave none for requests.
 */
export function subscribe<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  listener: StreamListener<Data>,
): () => void {
  const id = ++lastId;
  const operation = JSON.stringify({ query: document.toString(), variables });
  const subscription: Subscription = { operation, listener: listener as StreamListener<never> };
  subscriptions.set(id, subscription);
  change();
  return () => {
    clearTimeout(subscription.retry);
    if (subscriptions.delete(id)) change();
  };
}

/** Sends one list for all subscriptions that a page begins or ends together. */
function change(): void {
  if (isChanging) return;
  isChanging = true;
  queueMicrotask(() => {
    isChanging = false;
    send();
    clearInterval(repeating);
    if (subscriptions.size > 0) repeating = setInterval(send, REPEAT_MS);
  });
}

function send(): void {
  const viewerId = sessionUser()?.id;
  if (hub?.viewerId !== viewerId) {
    hub?.send([]);
    hub = undefined;
  }
  if (viewerId === undefined || (hub === undefined && subscriptions.size === 0)) return;
  hub ??= { viewerId, send: openHub(viewerId) };
  hub.send([...subscriptions].map(([id, { operation }]) => ({ id, operation })));
}

/** The worker is shared by the tabs of one user, so that no tab receives events of another user's session. */
function openHub(viewerId: string): Send {
  if (typeof SharedWorker === 'undefined') return openOwnHub(viewerId);
  const worker = new SharedWorker(workerUrl, { type: 'module', name: viewerId });
  let sendTo: Send = (wanted) => worker.port.postMessage(wanted);
  worker.port.onmessage = ({ data }) => receive(data);
  // After an update the server no longer has the script of this page.
  worker.onerror = () => {
    sendTo = openOwnHub(viewerId);
    change();
  };
  // A worker does not notice that a tab closes. The browser may restore the page from its history.
  window.addEventListener('pagehide', () => sendTo([]));
  window.addEventListener('pageshow', change);
  return (wanted) => sendTo(wanted);
}

/** Used by this tab alone, in browsers without shared workers. */
function openOwnHub(viewerId: string): Send {
  const own = new StreamHub(viewerId);
  const tab = { postMessage: receive };
  return (wanted) => own.update(tab, wanted);
}

function receive(message: StreamMessage): void {
  if ('isInterrupted' in message) {
    for (const { listener } of [...subscriptions.values()]) listener.interrupt?.();
    return;
  }
  const subscription = subscriptions.get(message.id);
  if (subscription === undefined) return;
  if ('isEnded' in message) {
    subscriptions.delete(message.id);
    change();
    const { listener, error } = subscription;
    if (listener.end !== undefined) listener.end(error);
    else {
      listener.interrupt?.();
      subscription.retry = setTimeout(() => {
        subscriptions.set(message.id, subscription);
        change();
      }, RETRY_AFTER_MS);
    }
  } else if (message.data) {
    subscription.listener.next(message.data as never);
  } else {
    subscription.error = new Error(message.error);
  }
}
