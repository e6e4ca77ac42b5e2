import type { AmendAnswer, LimitAnswer } from '@tollgate/contracts/answers';
import type { Problem } from '@tollgate/contracts/problems';
import type {
  LimitRequest,
  ReceiptRequest,
  RefundRequest,
  ReportRequest,
  ReserveRequest,
  ResetRequest,
  SettleRequest,
} from './request.js';

/** What is sent with each verb. */
export interface Bodies {
  limit: LimitRequest;
  'limit/batch': { requests: readonly LimitRequest[] };
  peek: LimitRequest;
  reserve: ReserveRequest;
  settle: SettleRequest;
  release: ReceiptRequest;
  renew: ReceiptRequest;
  refund: RefundRequest;
  report: ReportRequest;
  reset: ResetRequest;
}

/** What each verb is answered. */
export interface Answers {
  limit: LimitAnswer;
  'limit/batch': { answers: (LimitAnswer | Problem)[] };
  peek: LimitAnswer;
  reserve: LimitAnswer & { expiresAt: number | null };
  settle: AmendAnswer;
  release: AmendAnswer;
  renew: AmendAnswer;
  refund: AmendAnswer;
  report: AmendAnswer;
  reset: AmendAnswer;
}

export type Verb = keyof Bodies;

/** The way to a decision plane: over HTTP, or in this process. */
export interface Transport {
  /**
   * @param withinMs the longest wait
   * @throws TollgateFault what is wrong with the call
   * @throws UnavailableError why nobody answered it
   */
  call<V extends Verb>(verb: V, body: Bodies[V], withinMs: number): Promise<Answers[V]>;
  /**
   * Checks address and token without naming a tenant; absent where there is neither.
   * @throws as `call`
   */
  verify?(withinMs: number): Promise<void>;
}
