import type { LimitAnswer } from '@tollgate/contracts/answers';
import type { Problem } from '@tollgate/contracts/problems';
import { TollgateFault, UnavailableError } from './errors.js';
import { isProblemItem } from './http-transport.js';
import type { LimitRequest, Transport } from './requests.js';

const MAX_BATCH = 100;

interface Waiting {
  request: LimitRequest;
  queuedAtMs: number;
  resolve: (answer: LimitAnswer) => void;
  reject: (error: unknown) => void;
}

/**
 * While `maxCalls` calls are in flight, further requests are queued and sent as one batch; a single request is never
 * delayed. Queued requests need no timer: earlier calls end within their deadline, and a batch gets the remaining time
 * of its oldest request.
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
    if (this.inFlight < this.maxCalls)
      return this.send(() => this.transport.call('limit', request, this.timeoutMs));
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

  private sendWaiting(): void {
    const batch = this.waiting.splice(0, MAX_BATCH);
    const [oldest] = batch;
    if (oldest === undefined) return;
    const leftMs = this.timeoutMs - (performance.now() - oldest.queuedAtMs);
    void this.send(() => this.sendBatch(batch, leftMs));
  }

  /** Never rejects. */
  private async sendBatch(batch: readonly Waiting[], leftMs: number): Promise<void> {
    try {
      if (leftMs <= 0) throw new UnavailableError('timeout', 'no call was free in time');
      if (batch.length === 1) return await this.sendOneByOne(batch, leftMs);
      const requests = batch.map(({ request }) => request);
      const { answers } = await this.transport.call('limit/batch', { requests }, leftMs);
      if (answers.length !== batch.length) throw new UnavailableError('unreadable', 'answers are missing');
      batch.forEach((one, i) => {
        resolveItem(one, answers[i] as LimitAnswer | Problem);
      });
    } catch (error) {
      // One invalid request fails the whole batch: send the others on their own.
      if (isBodyFault(error)) await this.sendOneByOne(batch, leftMs);
      else for (const { reject } of batch) reject(error);
    }
  }

  private async sendOneByOne(batch: readonly Waiting[], leftMs: number): Promise<void> {
    await Promise.all(
      batch.map(({ request, resolve, reject }) =>
        this.transport.call('limit', request, leftMs).then(resolve, reject),
      ),
    );
  }
}

export function isBodyFault(error: unknown): boolean {
  return error instanceof TollgateFault && (error.code === 'body-invalid' || error.code === 'body-too-large');
}

function resolveItem({ resolve, reject }: Waiting, item: LimitAnswer | Problem): void {
  if (!isProblemItem(item)) resolve(item);
  else if (item.retryable) reject(new UnavailableError('server', `${item.code}: ${item.title}`));
  else reject(new TollgateFault(item));
}
