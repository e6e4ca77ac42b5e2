import type { CountersConnection } from '../store/counters.js';
import { listenToCounters, publishExhaustions } from '../store/redis/counter-channel.js';
import type { Engine } from './engine.js';

/** How often other nodes are told which counters are exhausted. */
const TELL_EXHAUSTED_EVERY_MS = 250;

/** Hears from other nodes what has changed, and tells them what is exhausted. */
export class NewsExchange {
  private stopListening: () => void = () => undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly counters: CountersConnection,
    private readonly engine: Pick<Engine, 'news' | 'takeNews'>,
  ) {}

  start(): void {
    this.stopListening = listenToCounters(this.counters.anyNodeUrl, this.engine.news);
    this.timer = setInterval(() => {
      // Told for the next outage: what does not get through now is learned by asking.
      this.tellExhausted().catch(() => undefined);
    }, TELL_EXHAUSTED_EVERY_MS);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
    this.stopListening();
  }

  private async tellExhausted(): Promise<void> {
    const news = this.engine.takeNews();
    if (news.length > 0) await publishExhaustions(this.counters.clientFor('tg:news'), news);
  }
}
