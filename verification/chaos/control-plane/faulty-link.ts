import { setTimeout as delay } from 'node:timers/promises';
import { type FaultProxy, startFaultProxy } from '@tollgate/decision-plane/testing';
import type { Random } from '@tollgate/test-kit/random';
import { Redis } from 'ioredis';

const CUT_WITHIN_MS = 2500;
const SLOW_MS = 150;
const BETWEEN_MS = 1200;
const CHANNEL = 'tg:policy:announcements';
const REPEATED_WITHIN_MS = 500;

/** A node's connection to the policy Redis, which is cut, reset and slowed repeatedly. */
export class Link {
  cuts = 0;
  readonly url: string;
  private isFaulty = false;
  private running: Promise<void> = Promise.resolve();

  private readonly proxy: FaultProxy;
  private readonly random: Random;

  private constructor(proxy: FaultProxy, random: Random) {
    this.proxy = proxy;
    this.random = random;
    this.url = `redis://127.0.0.1:${proxy.port}`;
  }

  static async open(port: number, random: Random): Promise<Link> {
    return new Link(await startFaultProxy(port), random);
  }

  /** @param onBack called after each cut once the link works again; the link stays up until it ends */
  begin(onBack: () => Promise<void>): void {
    this.isFaulty = true;
    this.running = this.misbehave(onBack);
  }

  async end(): Promise<void> {
    this.isFaulty = false;
    await this.running;
  }

  close(): Promise<void> {
    return this.proxy.close();
  }

  private async misbehave(onBack: () => Promise<void>): Promise<void> {
    const { proxy, random } = this;
    while (this.isFaulty) {
      await delay(random.below(BETWEEN_MS));
      const fault = random.below(3);
      if (fault === 0) {
        proxy.freeze();
        await delay(random.below(CUT_WITHIN_MS));
        proxy.reset();
        proxy.thaw();
        this.cuts++;
        await onBack();
      } else if (fault === 1) {
        proxy.reset();
      } else {
        proxy.setLatencyMs(1 + random.below(SLOW_MS));
        await delay(random.below(BETWEEN_MS));
        proxy.setLatencyMs(0);
      }
    }
  }
}

/** Repeats announcements, late and reordered. @returns a function that stops it and returns their number */
export async function repeatAnnouncements(url: string, random: Random): Promise<() => Promise<number>> {
  const [listener, sender] = [new Redis(url), new Redis(url)];
  const heard = new Set<string>();
  const sending = new Set<Promise<unknown>>();
  listener.on('message', (_channel, text: string) => {
    if (heard.has(text)) return;
    heard.add(text);
    for (let times = random.below(3); times >= 0; times--) {
      const sent = delay(random.below(REPEATED_WITHIN_MS)).then(() => sender.publish(CHANNEL, text));
      sending.add(sent);
      void sent.finally(() => sending.delete(sent));
    }
  });
  await listener.subscribe(CHANNEL);
  return async () => {
    listener.disconnect();
    await Promise.all(sending);
    sender.disconnect();
    return heard.size;
  };
}
