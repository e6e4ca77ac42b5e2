import {
  type AmendAnswer,
  type ReceiptRequest,
  type RefundRequest,
  type ReportRequest,
  type ResetRequest,
  receiptRequestSchema,
  refundRequestSchema,
  reportRequestSchema,
  resetRequestSchema,
  type SettleRequest,
  settleRequestSchema,
  TollgateError,
} from '@tollgate/contracts';
import type { DegradedMode } from '../outage/degraded-mode.js';
import { assertBody } from '../policy/request-checks.js';
import type { Amended, Amendment, DecisionStore, RefundReason } from '../store/decision-store.js';
import { receiptKey } from '../store/keys.js';
import type { QuotaCheckpoints } from '../usage/quota-checkpoints.js';
import type { UnknownApis } from './requests.js';
import type { TenantPolicies } from './resolve.js';
import { type AdmitKey, type Applied, resolve } from './resolve.js';

export interface AmenderParts {
  store: DecisionStore;
  policies: TenantPolicies;
  degraded: DegradedMode;
  checkpoints: Pick<QuotaCheckpoints, 'forget'> | undefined;
  admitKey: AdmitKey;
  unknownApis: UnknownApis;
  /** Unix ms. */
  nowMs: () => number;
}

/**
 * Changes what was charged: gives back, reports, settles, releases, renews, resets. Whether the store could be asked is part
 * of the answer; nothing here waits longer than a decision does.
 */
export class Amender {
  constructor(private readonly parts: AmenderParts) {}

  /**
   * Gives back what a request id was charged, or `cost` units of what the request describes; never more than is used. By
   * description, limits that count all tenants together give nothing back: nothing says that this tenant was charged.
   */
  async refund(request: RefundRequest): Promise<AmendAnswer> {
    assertBody(refundRequestSchema, request);
    if (!('api' in request)) return await this.return(request, 'all');
    const { cost, ...described } = request;
    const applied = await this.appliedTo(described);
    // A slot is not an amount: it is freed by whoever holds it.
    const checks = applied
      .filter(({ limit }) => limit.kind !== 'concurrency' && !limit.isGlobal)
      .map(({ check }) => ({ ...check, cost }));
    if (checks.length === 0) return this.answerOf('applied', 0, null);
    return await this.apply({ op: 'refund', checks });
  }

  /** Says how a request turned out, for limits that charge by it. Once a request. */
  async report(body: ReportRequest): Promise<AmendAnswer> {
    assertBody(reportRequestSchema, body);
    const { outcome, ...request } = body;
    return await this.return(request, outcome);
  }

  /** Gives back a reservation, or frees the slots that a request holds. */
  async release(request: ReceiptRequest): Promise<AmendAnswer> {
    assertBody(receiptRequestSchema, request);
    return await this.return(request, 'released');
  }

  /** Puts what a reservation really cost in the place of what was held. */
  async settle(body: SettleRequest): Promise<AmendAnswer> {
    assertBody(settleRequestSchema, body);
    const { cost, overrun = 'cap' } = body;
    return await this.applyToReceipt(body, (key) => ({ op: 'settle', receiptKey: key, cost, overrun }));
  }

  /** Holds a request's slots and reservation for another term. */
  async renew(request: ReceiptRequest): Promise<AmendAnswer> {
    assertBody(receiptRequestSchema, request);
    return await this.applyToReceipt(request, (key) => ({ op: 'renew', receiptKey: key }));
  }

  /**
   * Forgets the counters that a request would be decided by, all or one limit's. `unavailable`: some of them may not be
   * forgotten yet.
   */
  async reset(body: ResetRequest): Promise<AmendAnswer> {
    assertBody(resetRequestSchema, body);
    const { limit: name, ...described } = body;
    const applied = await this.appliedTo(described);
    const chosen = applied.filter(({ limit }) => name === undefined || limit.stored.name === name);
    if (chosen.length === 0)
      throw new TollgateError('operation-unlimited', { detail: `no limit ${name} there` });
    const answer = await this.resetBySlot(chosen.map(({ check }) => check.key));
    await this.forgetCheckpoints(described.tenant, chosen);
    return answer;
  }

  /** After the reset: a decision in between would write them again. */
  private async forgetCheckpoints(tenant: string, applied: readonly Applied[]): Promise<void> {
    const { checkpoints, nowMs } = this.parts;
    for (const { limit, check } of applied) {
      if (limit.kind !== 'quota') continue;
      const { endMs } = limit.policy(nowMs(), 'enforce') as { endMs?: number };
      if (endMs !== undefined) await checkpoints?.forget(tenant, check.key, endMs);
    }
  }

  private return(request: ReceiptRequest, reason: RefundReason): Promise<AmendAnswer> {
    return this.applyToReceipt(request, (key) => ({ op: 'refundReceipt', receiptKey: key, reason }));
  }

  /** @throws TollgateError as a decision does; `operation-unlimited` when no limit covers the operation */
  private async appliedTo(request: Omit<ResetRequest, 'limit'>): Promise<readonly Applied[]> {
    const { policies, nowMs } = this.parts;
    const at = policies.atHand(request.tenant) ?? (await policies.read(request.tenant));
    const resolution = resolve(at.policy, { ...at.tenant, status: 'active' }, request, nowMs(), this.parts);
    if (resolution.kind !== 'limited' || resolution.applied.length === 0) {
      throw new TollgateError('operation-unlimited', { detail: `${request.api} ${request.operation}` });
    }
    return resolution.applied;
  }

  /** Counters of all tenants together lie in another slot than the tenant's: each slot is reset by itself. */
  private async resetBySlot(keys: readonly string[]): Promise<AmendAnswer> {
    const slots = Map.groupBy(keys, (key) => key.slice(0, key.indexOf('}')));
    const answers = await Promise.all(
      [...slots.values()].map(async (slot) => {
        const answer = await this.apply({ op: 'reset', keys: slot });
        // Once more: what was forgotten already does not come back.
        return answer.status === 'applied' ? answer : await this.apply({ op: 'reset', keys: slot });
      }),
    );
    const failed = answers.find(({ status }) => status !== 'applied');
    const returned = Math.max(...answers.map((answer) => answer.returned));
    return this.answerOf(failed?.status ?? 'applied', returned, null);
  }

  private async apply(amendment: Amendment): Promise<AmendAnswer> {
    const reply = await this.parts.store.amend(amendment);
    return reply.available
      ? this.answerOf(reply.status, reply.units, null)
      : this.answerOf('unavailable', 0, null);
  }

  private async applyToReceipt(
    { tenant, requestId }: ReceiptRequest,
    amendmentOf: (receiptKey: string) => Amendment,
  ): Promise<AmendAnswer> {
    await this.assertTenant(tenant);
    const { store, degraded } = this.parts;
    const amendment = amendmentOf(receiptKey(tenant, requestId));
    const reply = await store.amend(amendment);
    if (reply.available) return this.answerOf(reply.status, reply.units, requestId);
    // What was charged here, in the same outage, is here; what names no receipt is of the store alone.
    const local = await degraded.amend(amendment);
    return local.status === 'not_found'
      ? this.answerOf('unavailable', 0, requestId)
      : this.answerOf(local.status, local.units, requestId);
  }

  /** @throws TollgateError `tenant-unknown`; not where the tenant cannot be looked up: its receipts say what to do. */
  private async assertTenant(tenant: string): Promise<void> {
    const { policies } = this.parts;
    if (policies.atHand(tenant) !== undefined) return;
    await policies.read(tenant).catch((error: unknown) => {
      if (error instanceof TollgateError && error.code !== 'tenant-unknown') return;
      throw error;
    });
  }

  private answerOf(
    status: Amended['status'] | 'unavailable',
    units: number,
    requestId: string | null,
  ): AmendAnswer {
    return { status, returned: units, revision: this.parts.policies.revision, requestId };
  }
}
