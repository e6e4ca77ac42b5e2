import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Actor, ActorSource } from '../../access/actor.js';
import { runInScope } from '../../scope/tenant-scope.js';

/** Each stream holds a connection; more of them are not one person looking. */
const MAX_PER_ACTOR = 20;
const MAX_PER_PROCESS = 1000;

/** A session that ends, or may less than before, is noticed within twice this. */
const CHECK_EVERY_MS = 400;

export interface OpenStream {
  headers: IncomingHttpHeaders;
  actor: Actor;
  /** Ends the stream. */
  end(): void;
  /** Cuts the connection, so that the reader connects again. */
  abort(): void;
}

/** The streams of this process: bounded, and ended when whoever watches may no longer do so. */
@Injectable()
export class OpenStreams implements OnModuleDestroy {
  private readonly streams = new Set<OpenStream>();
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> = Promise.resolve();

  constructor(private readonly actors: ActorSource) {}

  get size(): number {
    return this.streams.size;
  }

  /** Why an actor may open no further stream; undefined when it may. */
  refusal({ id }: Actor): string | undefined {
    if (this.streams.size >= MAX_PER_PROCESS) return 'Too many streams are open already. Try again later.';
    const own = [...this.streams].filter(({ actor }) => actor.id === id).length;
    return own < MAX_PER_ACTOR ? undefined : `${MAX_PER_ACTOR} streams are open already. Close one first.`;
  }

  add(stream: OpenStream): void {
    this.streams.add(stream);
    this.timer ??= setInterval(() => this.check(), CHECK_EVERY_MS);
  }

  remove(stream: OpenStream): void {
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  async onModuleDestroy(): Promise<void> {
    for (const stream of this.streams) stream.end();
    clearInterval(this.timer);
    await this.checking;
  }

  /** One at a time: a database that is slow is not asked ever more often. */
  private check(): void {
    const groups = Map.groupBy(this.streams, ({ headers }) => `${headers.authorization}\n${headers.cookie}`);
    this.checking = this.checking.then(async () => {
      await Promise.all([...groups.values()].map((group) => this.checkGroup(group)));
    });
  }

  /** @param group streams that were opened with the same credential */
  private async checkGroup(group: readonly OpenStream[]): Promise<void> {
    const headers = group[0]?.headers ?? {};
    try {
      const now = await runInScope('accounts', () => this.actors.findActor(headers));
      for (const stream of group)
        if (now === undefined || rightsOf(now) !== rightsOf(stream.actor)) stream.end();
    } catch {
      // Rights that cannot be checked are not assumed.
      for (const stream of group) stream.abort();
    }
  }
}

function rightsOf({ id, role, memberships, ability }: Actor): string {
  return JSON.stringify([id, role, memberships, ability.rules]);
}
