import { ApiError } from '../../api-error.js';
import type { DocumentCost } from './document-cost.js';
import type { Payer, Payment, PointsMeter, ThrottleStatus } from './points-meter.js';

/** Content of `extensions.cost`; the names follow other GraphQL APIs. */
export interface CostExtension {
  requestedQueryCost: number;
  actualQueryCost: number;
  throttleStatus: ThrottleStatus;
  /** Present when Redis was unavailable. */
  degraded?: true;
}

/** Cost of a stored answer: nothing was executed. */
const REPEATED_ANSWER_COST = 1;

/** The cost of one document, from its price to the reported result. */
export class CostBill {
  private payment: Payment | undefined;
  private isRepeated = false;

  constructor(
    private readonly meter: PointsMeter,
    private readonly cost: DocumentCost,
    private readonly payer: Payer,
  ) {}

  /** @throws ApiError MAX_COST_EXCEEDED for a document above the maximum */
  check(): void {
    const points = this.cost.requested();
    const maximum = this.meter.maxDocumentCost(this.payer);
    if (points <= maximum) return;
    const message = `This document may cost ${points} points; ${maximum} are the most. Ask for smaller pages or fewer fields.`;
    throw new ApiError('MAX_COST_EXCEEDED', message, { cost: points, maximum }, {});
  }

  /**
   * @param isRepeated the answer is there already
   * @throws ApiError THROTTLED when the payer has too few points; none are taken then
   */
  async pay(isRepeated: boolean): Promise<void> {
    this.isRepeated = isRepeated;
    this.payment = await this.meter.take(
      this.payer,
      isRepeated ? REPEATED_ANSWER_COST : this.cost.requested(),
    );
    if (!this.payment.allowed) throw throttled(this.payment);
  }

  /** Refunds the unused points. Undefined when the payer was not charged. */
  settle(data: unknown): CostExtension | undefined {
    const { payment } = this;
    if (payment === undefined) return undefined;
    const actual = this.actual(payment, data);
    return {
      requestedQueryCost: payment.points,
      actualQueryCost: actual,
      throttleStatus: payment.allowed ? this.meter.settle(payment, actual) : payment.status,
      ...(payment.degraded ? { degraded: true } : {}),
    };
  }

  private actual({ allowed }: Payment, data: unknown): number {
    if (!allowed) return 0;
    return this.isRepeated ? REPEATED_ANSWER_COST : this.cost.actual(data);
  }
}

function throttled({ retryAfterSeconds, points, status }: Payment): ApiError {
  const message = `This document may cost ${points} points and ${status.currentlyAvailable} are left; ${status.restoreRate} come back each second.`;
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return new ApiError('THROTTLED', message, { retryAfter: retryAfterSeconds }, { headers });
}
