import { createClient } from 'graphql-sse';

/** A subscription of a tab. */
export interface Wanted {
  /** Unique in the tab. */
  id: number;
  /** JSON of its query and variables; tabs with the same one share it. */
  operation: string;
}

export type StreamMessage =
  | { id: number; data?: unknown; error?: string | undefined }
  | { id: number; isEnded: true }
  | { isInterrupted: true };

/** A tab that receives messages: the port of a worker, or the page itself. */
export interface Tab {
  postMessage(message: StreamMessage): void;
}

/** Tabs repeat their subscriptions this often. A browser slows the timers of hidden tabs down to one a minute. */
export const REPEAT_MS = 30_000;

/** A tab that crashed or was frozen sends nothing; a frozen one returns when it repeats its subscriptions. */
const SILENT_MS = 180_000;

/** A hub that is awake hears from a tab each minute. After more, the computer slept, and the tabs with it. */
const SLEPT_MS = SILENT_MS / 2;

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/** The server's maximum per request. */
const MAX_SUBSCRIPTIONS = 20;

interface Extensions extends Record<string, unknown> {
  subscription?: number;
  ended?: boolean;
}

/**
 * Follows the subscriptions of all tabs on one connection. It reconnects when a tab adds a subscription, because the first
 * events of some contain the past, and when the last tab removes one. The old connection stays until the server has answered the
 * new one. The server subscribes to the sources just after that: polling finds an event of that moment.
 */
export class StreamHub {
  readonly #tabs = new Map<Tab, { wanted: readonly Wanted[]; updatedAtMs: number }>();
  /** The operations of the current connection that have not ended. */
  #followed = new Set<string>();
  #close = () => {};
  #retry: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #activeAtMs = Date.now();

  /** @param viewerId the user of the tabs: the server rejects the session of another one, who signed in since */
  constructor(private readonly viewerId: string) {}

  /** @param wanted all subscriptions of the tab */
  update(tab: Tab, wanted: readonly Wanted[]): void {
    const before = new Set(this.#tabs.get(tab)?.wanted.map(({ id }) => id));
    if (wanted.length === 0) this.#tabs.delete(tab);
    else this.#tabs.set(tab, { wanted, updatedAtMs: Date.now() });
    this.#forgetSilentTabs();
    // A new subscription must not hasten the retry: the simulation of a page subscribes again after each failure.
    if (this.#retry !== undefined) return;
    if (wanted.some(({ id }) => !before.has(id)) || this.#isLessWanted()) this.#connect();
  }

  #forgetSilentTabs(): void {
    const now = Date.now();
    const hasSlept = now - this.#activeAtMs > SLEPT_MS;
    this.#activeAtMs = now;
    for (const [tab, state] of this.#tabs) {
      if (hasSlept) state.updatedAtMs = now;
      else if (now - state.updatedAtMs > SILENT_MS) this.#tabs.delete(tab);
    }
  }

  #isLessWanted(): boolean {
    const wanted = this.#subscribersByOperation();
    return [...this.#followed].some((operation) => !wanted.has(operation));
  }

  #subscribersByOperation(): Map<string, { tab: Tab; id: number }[]> {
    const subscribers = new Map<string, { tab: Tab; id: number }[]>();
    for (const [tab, { wanted }] of this.#tabs)
      for (const { id, operation } of wanted)
        subscribers.set(operation, [...(subscribers.get(operation) ?? []), { tab, id }]);
    return subscribers;
  }

  #connect(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    let closeFormer = this.#close;
    const subscribers = this.#subscribersByOperation();
    const operations = [...subscribers.keys()].slice(0, MAX_SUBSCRIPTIONS);
    this.#followed = new Set(operations);
    const [first, ...additionalSubscriptions] = operations.map((operation) => JSON.parse(operation));
    if (first === undefined) {
      this.#close = () => {};
      closeFormer();
      return;
    }
    const startedAtMs = Date.now();
    const client = createClient({ url: '/graphql/stream', retryAttempts: 0 });
    const close = () => {
      closeFormer();
      client.dispose();
    };
    // Also after the server ended the session or stopped: the next connection has the new cookie, or another server.
    const interrupt = () => {
      if (this.#close !== close) return;
      close();
      this.#close = () => {};
      this.#failures = Date.now() - startedAtMs > LONGEST_RETRY_MS ? 0 : this.#failures + 1;
      const retryMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LONGEST_RETRY_MS);
      // Browsers that lost the same server return one after another.
      this.#retry = setTimeout(() => this.#connect(), retryMs * (0.5 + Math.random() / 2));
      for (const tab of this.#tabs.keys()) tab.postMessage({ isInterrupted: true });
    };
    this.#close = close;
    client.subscribe<Record<string, unknown>, Extensions>(
      { ...first, extensions: { additionalSubscriptions, viewerId: this.viewerId } },
      {
        next: ({ data, errors, extensions: { subscription = -1, ended = false } = {} }) => {
          const operation = operations[subscription] ?? '';
          if (ended && this.#close === close) this.#followed.delete(operation);
          for (const { tab, id } of subscribers.get(operation) ?? []) {
            if (!this.#tabs.get(tab)?.wanted.some((one) => one.id === id)) continue;
            tab.postMessage(ended ? { id, isEnded: true } : { id, data, error: errors?.[0]?.message });
          }
          this.#forgetSilentTabs();
          if (this.#isLessWanted()) this.#connect();
        },
        error: interrupt,
        complete: interrupt,
      },
      {
        connected: () => {
          closeFormer();
          closeFormer = () => {};
        },
      },
    );
  }
}
