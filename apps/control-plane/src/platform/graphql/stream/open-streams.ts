import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Actor, ActorSource } from '../../access/actor.js';
import { AccessChanges } from '../../access/current-actors.js';
import { runInScope } from '../../tenant-scope.js';

/** When full, the oldest event is dropped. */
const MAX_BUFFERED = 100;

/** Buffered source of a subscription. Unlike a generator it can be ended while a `next()` is pending. */
export class EventQueue<T> implements AsyncIterableIterator<T> {
  private readonly buffer: T[] = [];
  private reader: ((result: IteratorResult<T>) => void) | undefined;
  private isEnded = false;

  /** @param onEnd stops the producer; called once */
  constructor(private readonly onEnd: () => void) {}

  push(value: T): void {
    if (this.isEnded) return;
    if (this.reader !== undefined) {
      this.reader({ done: false, value });
      this.reader = undefined;
      return;
    }
    this.buffer.push(value);
    if (this.buffer.length > MAX_BUFFERED) this.buffer.shift();
  }

  /** Ends the stream after the buffered events. */
  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.reader?.({ done: true, value: undefined });
    this.reader = undefined;
    this.onEnd();
  }

  next(): Promise<IteratorResult<T>> {
    const value = this.buffer.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.isEnded) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.reader = resolve;
    });
  }

  /** Ends the stream and drops buffered events. */
  return(): Promise<IteratorResult<T>> {
    this.buffer.length = 0;
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

const MAX_PER_ACTOR = 20;
const MAX_PER_PROCESS = 1000;

/** A revoked credential ends its streams within twice this time. */
const CHECK_EVERY_MS = 400;

export interface OpenStream {
  headers: IncomingHttpHeaders;
  actor: Actor;
  /** Ends the stream with `complete`. */
  end(): void;
  /** Cuts the connection, so that the client reconnects. */
  abort(): void;
}

/** Limits the number of open streams, and ends them when the actor's credential or permissions change. */
@Injectable()
export class OpenStreams implements OnModuleDestroy {
  private readonly streams = new Set<OpenStream>();
  private timer: NodeJS.Timeout | undefined;
  private unlisten: (() => void) | undefined;
  private checking: Promise<void> = Promise.resolve();

  constructor(
    private readonly actors: ActorSource,
    private readonly access: AccessChanges,
  ) {}

  /** An error message if the actor may not open another stream. */
  findExcess({ id }: Actor): string | undefined {
    if (this.streams.size >= MAX_PER_PROCESS) return 'Too many open streams. Try again later.';
    const own = [...this.streams].filter(({ actor }) => actor.id === id).length;
    return own < MAX_PER_ACTOR
      ? undefined
      : `At most ${MAX_PER_ACTOR} open streams per account. Close one first.`;
  }

  add(stream: OpenStream): void {
    this.streams.add(stream);
    this.timer ??= setInterval(() => this.check(), CHECK_EVERY_MS);
    this.unlisten ??= this.access.listen(() => this.check());
  }

  remove(stream: OpenStream): void {
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
    this.unlisten?.();
    this.unlisten = undefined;
  }

  async onModuleDestroy(): Promise<void> {
    for (const stream of this.streams) stream.end();
    clearInterval(this.timer);
    await this.checking;
  }

  /** Checks run sequentially, so that a slow database does not receive more and more of them. */
  private check(): void {
    const groups = Map.groupBy(this.streams, ({ headers }) => `${headers.authorization}\n${headers.cookie}`);
    this.checking = this.checking.then(async () => {
      await Promise.all([...groups.values()].map((group) => this.checkGroup(group)));
    });
  }

  /** @param group streams opened with the same credential */
  private async checkGroup(group: readonly OpenStream[]): Promise<void> {
    const headers = group[0]?.headers ?? {};
    try {
      const current = await runInScope('accounts', () => this.actors.findActor(headers));
      for (const stream of group)
        if (current === undefined || rightsOf(current) !== rightsOf(stream.actor)) stream.end();
    } catch {
      // The permissions are unknown: clients reconnect and are checked again.
      for (const stream of group) stream.abort();
    }
  }
}

function rightsOf({ id, role, memberships, ability }: Actor): string {
  return JSON.stringify([id, role, memberships, ability.rules]);
}
