import { ApiError } from '../../api-error.js';
import type { DocumentCost } from './document-cost.js';
import type { Payer, Payment, PointsMeter, ThrottleStatus } from './points-meter.js';

/** `extensions.cost`, with the field names of Shopify's API. */
export interface CostExtension {
  requestedQueryCost: number;
  actualQueryCost: number;
  throttleStatus: ThrottleStatus;
  /** Set while Redis is unavailable. */
  degraded?: true;
}

const REPEATED_ANSWER_COST = 1;

/** Checks, charges and refunds the cost of one operation. */
export class CostBill {
  private payment: Payment | undefined;
  private isRepeated = false;

  constructor(
    private readonly meter: PointsMeter,
    private readonly cost: DocumentCost,
    private readonly payer: Payer,
  ) {}

  /** @throws ApiError MAX_COST_EXCEEDED */
  check(): void {
    const points = this.cost.requested();
    const maximum = this.meter.maxDocumentCost(this.payer);
    if (points <= maximum) return;
    const message = `The operation may cost up to ${points} points; at most ${maximum} are allowed. Request smaller pages or fewer fields.`;
    throw new ApiError('MAX_COST_EXCEEDED', message, { cost: points, maximum }, {});
  }

  /** @param isRepeated the response is stored. @throws ApiError THROTTLED; nothing is charged then */
  async pay(isRepeated: boolean): Promise<void> {
    this.isRepeated = isRepeated;
    this.payment = await this.meter.take(
      this.payer,
      isRepeated ? REPEATED_ANSWER_COST : this.cost.requested(),
    );
    if (!this.payment.allowed) throw throttled(this.payment);
  }

  /** Refunds the points that `data` did not cost. Undefined if nothing was charged. */
  finish(data: unknown): CostExtension | undefined {
    const { payment } = this;
    if (payment === undefined) return undefined;
    const actual = this.actual(payment, data);
    return {
      requestedQueryCost: payment.points,
      actualQueryCost: actual,
      throttleStatus: payment.allowed ? this.meter.adjust(payment, actual) : payment.status,
      ...(payment.degraded ? { degraded: true } : {}),
    };
  }

  private actual({ allowed }: Payment, data: unknown): number {
    if (!allowed) return 0;
    return this.isRepeated ? REPEATED_ANSWER_COST : this.cost.actual(data);
  }
}

function throttled({ retryAfterSeconds, points, status }: Payment): ApiError {
  const message = `The operation may cost up to ${points} points; ${status.currentlyAvailable} are available and ${status.restoreRate} are restored per second.`;
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return new ApiError('THROTTLED', message, { retryAfter: retryAfterSeconds }, { headers });
}
