import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { NoticeAddedDocument } from '../generated/graphql.js';
import { setSessionUser } from './session.js';
import { REPEAT_MS, type StreamMessage, type Wanted } from './stream-hub.js';
import { RETRY_AFTER_MS, type StreamListener, subscribe } from './streams.js';

/** A shared worker that only records what the tab sends. */
class FakeWorker {
  static opened: FakeWorker[] = [];
  readonly name: string;
  readonly received: Wanted[][] = [];
  readonly port = {
    postMessage: (wanted: Wanted[]) => this.received.push(wanted),
    onmessage: (_event: { data: StreamMessage }) => {},
  };
  onerror = () => {};

  constructor(_url: string, { name }: { name: string }) {
    this.name = name;
    FakeWorker.opened.push(this);
  }

  /** Variables of the subscriptions that the tab wants. */
  wanted = () => this.received.at(-1)?.map(({ operation }) => JSON.parse(operation).variables.tenantKey);

  send = (message: StreamMessage) => this.port.onmessage({ data: message });
}

const settle = () => vi.advanceTimersByTimeAsync(0);

let users = 0;
let stops: (() => void)[];

function signIn(): void {
  users += 1;
  setSessionUser({ id: `tab_${users}`, email: null });
}

/** Follows the notices of a tenant; returns what it receives. */
function follow(tenantKey: string) {
  const received: unknown[] = [];
  const listener: StreamListener<unknown> = {
    next: (data) => received.push(data),
    end: (error) => received.push(error ?? 'end'),
    interrupt: () => received.push('lost'),
  };
  const stop = subscribe(NoticeAddedDocument, { tenantKey }, listener);
  stops.push(stop);
  return { received, stop };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('SharedWorker', FakeWorker);
  vi.stubGlobal('window', new EventTarget());
  FakeWorker.opened = [];
  stops = [];
  signIn();
});
afterEach(async () => {
  for (const stop of stops) stop();
  setSessionUser(undefined);
  await settle();
  vi.useRealTimers();
});

it('sends what a page begins and ends together as one list', async () => {
  follow('acme').stop();
  follow('globex');
  follow('initech');
  await settle();
  const [worker] = FakeWorker.opened;
  expect(worker?.received).toHaveLength(1);
  expect(worker?.wanted()).toEqual(['globex', 'initech']);
});

it('repeats the list while it has subscriptions', async () => {
  const { stop } = follow('acme');
  await vi.advanceTimersByTimeAsync(REPEAT_MS);
  const [worker] = FakeWorker.opened;
  expect(worker?.received).toHaveLength(2);
  expect(worker?.wanted()).toEqual(['acme']);
  stop();
  await vi.advanceTimersByTimeAsync(10 * REPEAT_MS);
  expect(worker?.received).toHaveLength(3);
  expect(worker?.wanted()).toEqual([]);
});

it('gives a message to its subscription, and an interruption to all', async () => {
  const [acme, globex] = [follow('acme'), follow('globex')];
  await settle();
  const [worker] = FakeWorker.opened;
  const [first, second] = worker?.received[0]?.map(({ id }) => id) ?? [];
  worker?.send({ id: first ?? 0, data: { a: 1 } });
  worker?.send({ isInterrupted: true });
  worker?.send({ id: second ?? 0, data: null, error: 'Not found' });
  worker?.send({ id: second ?? 0, isEnded: true });
  await settle();
  expect(acme.received).toEqual([{ a: 1 }, 'lost']);
  expect(globex.received).toEqual(['lost', new Error('Not found')]);
  expect(worker?.wanted()).toEqual(['acme']);
});

it('begins a subscription again that the server ended, unless its listener handles the end', async () => {
  const interrupt = vi.fn();
  const stop = subscribe(NoticeAddedDocument, { tenantKey: 'acme' }, { next: () => {}, interrupt });
  await settle();
  const [worker] = FakeWorker.opened;
  const id = worker?.received[0]?.[0]?.id ?? 0;
  worker?.send({ id, isEnded: true });
  await settle();
  expect(interrupt).toHaveBeenCalledOnce();
  expect(worker?.wanted()).toEqual([]);
  await vi.advanceTimersByTimeAsync(RETRY_AFTER_MS);
  expect(worker?.wanted()).toEqual(['acme']);
  worker?.send({ id, isEnded: true });
  stop();
  await vi.advanceTimersByTimeAsync(2 * RETRY_AFTER_MS);
  expect(worker?.wanted()).toEqual([]);
});

it('has a worker for each user, and leaves that of the former one', async () => {
  follow('acme').stop();
  const { received } = follow('acme');
  await settle();
  const [former] = FakeWorker.opened;
  const id = former?.received[0]?.[0]?.id ?? 0;
  signIn();
  stops.splice(0).map((stop) => stop());
  follow('globex');
  await settle();
  expect(FakeWorker.opened.map(({ name }) => name)).toEqual([`tab_${users - 1}`, `tab_${users}`]);
  expect(former?.wanted()).toEqual([]);
  expect(FakeWorker.opened[1]?.wanted()).toEqual(['globex']);
  former?.send({ id, data: { a: 1 } });
  expect(received).toEqual([]);
});

it('leaves with the page, and returns with it from the history', async () => {
  follow('acme');
  await settle();
  const [worker] = FakeWorker.opened;
  window.dispatchEvent(new Event('pagehide'));
  expect(worker?.wanted()).toEqual([]);
  window.dispatchEvent(new Event('pageshow'));
  await settle();
  expect(worker?.wanted()).toEqual(['acme']);
});

it('connects alone if the worker cannot be loaded', async () => {
  const paths: string[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    paths.push(path);
    return new Promise(() => {});
  });
  follow('acme');
  await settle();
  FakeWorker.opened[0]?.onerror();
  await settle();
  expect(paths).toEqual(['/graphql/stream']);
});
