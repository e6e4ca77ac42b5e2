import type { LimitAnswer } from '@tollgate/contracts/answers';
import type { Problem } from '@tollgate/contracts/problems';
import { TollgateFault, UnavailableError } from './errors.js';
import { isProblemItem } from './http-transport.js';
import type { LimitRequest, Transport } from './requests.js';

/** The most requests that travel in one call. */
const MAX_TOGETHER = 100;

interface Waiting {
  request: LimitRequest;
  askedAtMs: number;
  resolve: (answer: LimitAnswer) => void;
  reject: (error: unknown) => void;
}

/**
 * Sends requests for decisions. While `maxCalls` calls are on their way, what arrives waits and then travels together, as
 * one batch; a lone request waits for nothing. Each is decided by itself, so nothing but the number of calls changes.
 *
 * Nobody waits past the deadline, and no timer runs for those that wait: the calls before them end within it, and a batch
 * has what its oldest request has left.
 */
export class Flights {
  private underWay = 0;
  private waiting: Waiting[] = [];

  constructor(
    private readonly transport: Transport,
    private readonly timeoutMs: number,
    private readonly maxCalls: number,
  ) {}

  limit(request: LimitRequest): Promise<LimitAnswer> {
    if (this.underWay < this.maxCalls) return this.send(() => this.alone(request, this.timeoutMs));
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, askedAtMs: performance.now(), resolve, reject });
    });
  }

  private async send<T>(call: () => Promise<T>): Promise<T> {
    this.underWay++;
    try {
      return await call();
    } finally {
      this.underWay--;
      this.sendWaiting();
    }
  }

  private alone(request: LimitRequest, withinMs: number): Promise<LimitAnswer> {
    return this.transport.call('limit', request, withinMs);
  }

  private sendWaiting(): void {
    const batch = this.waiting.splice(0, MAX_TOGETHER);
    const [oldest] = batch;
    if (oldest === undefined) return;
    const leftMs = this.timeoutMs - (performance.now() - oldest.askedAtMs);
    void this.send(() => (leftMs > 0 ? this.together(batch, leftMs) : Promise.resolve(this.giveUp(batch))));
  }

  private giveUp(batch: readonly Waiting[]): void {
    for (const { reject } of batch) reject(new UnavailableError('timeout', 'no call was free in time'));
  }

  /** Settles each of `batch`; never rejects. */
  private async together(batch: readonly Waiting[], leftMs: number): Promise<void> {
    const [first] = batch;
    if (first !== undefined && batch.length === 1) return settle(first, this.alone(first.request, leftMs));
    try {
      const requests = batch.map(({ request }) => request);
      const { answers } = await this.transport.call('limit/batch', { requests }, leftMs);
      if (answers.length !== batch.length) throw new UnavailableError('unreadable', 'answers are missing');
      batch.forEach((one, i) => {
        settleItem(one, answers[i] as LimitAnswer | Problem);
      });
    } catch (error) {
      // One that is wrong makes the whole batch wrong: the others are not to suffer for it.
      if (isBodyFault(error)) await this.oneByOne(batch, leftMs);
      else for (const { reject } of batch) reject(error);
    }
  }

  private async oneByOne(batch: readonly Waiting[], leftMs: number): Promise<void> {
    await Promise.all(batch.map((one) => settle(one, this.alone(one.request, leftMs))));
  }
}

function isBodyFault(error: unknown): boolean {
  return error instanceof TollgateFault && (error.code === 'body-invalid' || error.code === 'body-too-large');
}

function settle({ resolve, reject }: Waiting, answer: Promise<LimitAnswer>): Promise<void> {
  return answer.then(resolve, reject);
}

function settleItem({ resolve, reject }: Waiting, item: LimitAnswer | Problem): void {
  if (!isProblemItem(item)) resolve(item);
  else if (item.retryable) reject(new UnavailableError('server', `${item.code}: ${item.title}`));
  else reject(new TollgateFault(item));
}
