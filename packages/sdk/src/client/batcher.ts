import type { LimitAnswer } from '@tollgate/contracts/answers';
import type { Problem } from '@tollgate/contracts/problems';
import { TollgateFault, UnavailableError } from './errors.js';
import { isProblemItem } from './http-transport.js';
import type { LimitRequest, Transport } from './requests.js';

/** The most requests that travel in one call. */
const MAX_BATCH = 100;

interface Waiting {
  request: LimitRequest;
  queuedAtMs: number;
  resolve: (answer: LimitAnswer) => void;
  reject: (error: unknown) => void;
}

/**
 * Sends limit requests. While `maxCalls` calls are in flight, further requests are queued and sent as one batch; a
 * single request is never delayed. Requests of a batch are decided independently.
 * Queued requests need no timer: earlier calls end within their deadline, and a batch gets the remaining time of its
 * oldest request.
 */
export class Batcher {
  private inFlight = 0;
  private waiting: Waiting[] = [];

  constructor(
    private readonly transport: Transport,
    private readonly timeoutMs: number,
    private readonly maxCalls: number,
  ) {}

  limit(request: LimitRequest): Promise<LimitAnswer> {
    if (this.inFlight < this.maxCalls) return this.send(() => this.alone(request, this.timeoutMs));
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, queuedAtMs: performance.now(), resolve, reject });
    });
  }

  private async send<T>(call: () => Promise<T>): Promise<T> {
    this.inFlight++;
    try {
      return await call();
    } finally {
      this.inFlight--;
      this.sendWaiting();
    }
  }

  private alone(request: LimitRequest, withinMs: number): Promise<LimitAnswer> {
    return this.transport.call('limit', request, withinMs);
  }

  private sendWaiting(): void {
    const batch = this.waiting.splice(0, MAX_BATCH);
    const [oldest] = batch;
    if (oldest === undefined) return;
    const leftMs = this.timeoutMs - (performance.now() - oldest.queuedAtMs);
    void this.send(() => (leftMs > 0 ? this.together(batch, leftMs) : Promise.resolve(this.expire(batch))));
  }

  private expire(batch: readonly Waiting[]): void {
    for (const { reject } of batch) reject(new UnavailableError('timeout', 'no call was free in time'));
  }

  /** Resolves or rejects each request of `batch`; never rejects itself. */
  private async together(batch: readonly Waiting[], leftMs: number): Promise<void> {
    const [first] = batch;
    if (first !== undefined && batch.length === 1)
      return resolveWith(first, this.alone(first.request, leftMs));
    try {
      const requests = batch.map(({ request }) => request);
      const { answers } = await this.transport.call('limit/batch', { requests }, leftMs);
      if (answers.length !== batch.length) throw new UnavailableError('unreadable', 'answers are missing');
      batch.forEach((one, i) => {
        resolveItem(one, answers[i] as LimitAnswer | Problem);
      });
    } catch (error) {
      // One that is wrong makes the whole batch wrong: the others are not to suffer for it.
      if (isBodyFault(error)) await this.oneByOne(batch, leftMs);
      else for (const { reject } of batch) reject(error);
    }
  }

  private async oneByOne(batch: readonly Waiting[], leftMs: number): Promise<void> {
    await Promise.all(batch.map((one) => resolveWith(one, this.alone(one.request, leftMs))));
  }
}

function isBodyFault(error: unknown): boolean {
  return error instanceof TollgateFault && (error.code === 'body-invalid' || error.code === 'body-too-large');
}

function resolveWith({ resolve, reject }: Waiting, answer: Promise<LimitAnswer>): Promise<void> {
  return answer.then(resolve, reject);
}

function resolveItem({ resolve, reject }: Waiting, item: LimitAnswer | Problem): void {
  if (!isProblemItem(item)) resolve(item);
  else if (item.retryable) reject(new UnavailableError('server', `${item.code}: ${item.title}`));
  else reject(new TollgateFault(item));
}
