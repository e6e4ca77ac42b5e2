import {
  type AmendAnswer,
  parseBody,
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
import { groupBy } from '@tollgate/contracts/older-node';
import { penaltyKey, receiptKey, tenantTag } from '@tollgate/limiter/rules';
import type { Amended, Amendment, RefundReason } from '@tollgate/limiter/stores';
import type { AppliedLimit } from '../counters/counter-book.js';
import type { EngineParts } from './engine-parts.js';
import { resolve } from './resolve.js';
import { TenantOperation } from './tenant-operations.js';

type AmenderParts = Pick<
  EngineParts,
  'store' | 'policies' | 'degraded' | 'counters' | 'unknownApis' | 'nowMs' | 'checkpoints'
>;

/** Changes earlier charges. Status `unavailable`: the store did not answer; waits no longer than a decision does. */
export class Amender {
  constructor(private readonly parts: AmenderParts) {}

  /**
   * Refunds the charge of a request id, or `cost` units of a described request; never more than is used. A description does
   * not refund limits on all tenants together or of the parent: it does not prove that this tenant was charged.
   */
  async refund(body: RefundRequest): Promise<AmendAnswer> {
    const request = parseBody(refundRequestSchema, body);
    if (!('api' in request)) return await this.refundReceipt(request, 'all');
    const { cost, ...described } = request;
    const applied = await this.appliedTo(described);
    // Permits are released, not refunded.
    const checks = applied
      .filter(({ limit, of }) => limit.kind !== 'concurrency' && !limit.isGlobal && of?.isParents !== true)
      .map(({ check }) => ({ ...check, cost }));
    if (checks.length === 0) return this.answerOf('applied', 0, null);
    return await this.apply({ op: 'refund', checks });
  }

  async report(body: ReportRequest): Promise<AmendAnswer> {
    const { outcome, ...request } = parseBody(reportRequestSchema, body);
    return await this.refundReceipt(request, outcome);
  }

  async release(request: ReceiptRequest): Promise<AmendAnswer> {
    return await this.refundReceipt(parseBody(receiptRequestSchema, request), 'released');
  }

  async settle(body: SettleRequest): Promise<AmendAnswer> {
    const { cost, overrun, ...request } = parseBody(settleRequestSchema, body);
    return await this.applyToReceipt(request, (key) => ({ op: 'settle', receiptKey: key, cost, overrun }));
  }

  async renew(request: ReceiptRequest): Promise<AmendAnswer> {
    return await this.applyToReceipt(parseBody(receiptRequestSchema, request), (key) => ({
      op: 'renew',
      receiptKey: key,
    }));
  }

  /**
   * Resets the counters of a described request, all or one limit's, and ends their blocks; not those of the parent.
   * `unavailable`: some may not be reset.
   */
  async reset(body: ResetRequest): Promise<AmendAnswer> {
    const { limit: name, ...described } = parseBody(resetRequestSchema, body);
    const applied = await this.appliedTo(described);
    const chosen = applied.filter(
      ({ limit, of }) => of?.isParents !== true && (name === undefined || limit.stored.name === name),
    );
    if (chosen.length === 0) {
      const detail = name === undefined ? 'no limit of the tenant itself there' : `no limit ${name} there`;
      throw new TollgateError('operation-unlimited', { detail });
    }
    const answer = await this.resetKeys(
      chosen.flatMap(({ check: { key, policy } }) =>
        policy.penalty === undefined ? [key] : [key, penaltyKey(key)],
      ),
    );
    await this.forgetCheckpoints(described.tenant, chosen);
    return answer;
  }

  /** Runs after the reset, because a decision before it would write the checkpoints again. */
  private async forgetCheckpoints(tenant: string, applied: readonly AppliedLimit[]): Promise<void> {
    const { checkpoints, nowMs } = this.parts;
    for (const { limit, check } of applied) {
      if (limit.kind !== 'quota') continue;
      const { endMs } = limit.policy(nowMs(), 'enforce') as { endMs?: number };
      if (endMs !== undefined) await checkpoints?.forget(tenant, check.key, endMs);
    }
  }

  private refundReceipt(request: ReceiptRequest, reason: RefundReason): Promise<AmendAnswer> {
    return this.applyToReceipt(request, (key) => ({ op: 'refundReceipt', receiptKey: key, reason }));
  }

  /** @throws TollgateError as a decision does; `operation-unlimited` if no limit covers the operation */
  private async appliedTo(request: Omit<ResetRequest, 'limit'>): Promise<readonly AppliedLimit[]> {
    const { policies, nowMs, counters, unknownApis } = this.parts;
    const at = policies.find(request.tenant) ?? (await policies.load(request.tenant));
    const operation = new TenantOperation(at, request.api, request.operation, nowMs());
    const options = { counters, unknownApis, peek: true, ignoresAccess: true };
    const resolution = resolve(operation, request, nowMs(), options);
    if (resolution.kind !== 'limited' || resolution.limits.applied.length === 0) {
      throw new TollgateError('operation-unlimited', { detail: `${request.api} ${request.operation}` });
    }
    return resolution.limits.applied;
  }

  /** Resets each cluster slot separately: counters of all tenants together are in a different slot than the tenant's. */
  private async resetKeys(keys: readonly string[]): Promise<AmendAnswer> {
    const slots = groupBy(keys, (key) => key.slice(0, key.indexOf('}')));
    const answers = await Promise.all(
      [...slots.values()].map(async (slot) => {
        const answer = await this.apply({ op: 'reset', keys: slot });
        // One retry, which is safe: a reset is idempotent.
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
    const { store, degraded } = this.parts;
    const amendment = amendmentOf(receiptKey(await this.tagOf(tenant), requestId));
    const reply = await store.amend(amendment);
    if (reply.available) return this.answerOf(reply.status, reply.units, requestId);
    // A charge made by this node during the outage can be amended locally.
    const local = await degraded.amend(amendment);
    return local.status === 'not_found'
      ? this.answerOf('unavailable', 0, requestId)
      : this.answerOf(local.status, local.units, requestId);
  }

  /**
   * Tag of the tenant's receipts. A tenant that cannot be loaded is taken for one without a parent: most are, and its receipts are
   * enough to amend. @throws TollgateError `tenant-unknown`
   */
  private async tagOf(tenant: string): Promise<string> {
    const { policies } = this.parts;
    try {
      return tenantTag((policies.find(tenant) ?? (await policies.load(tenant))).tenant);
    } catch (error) {
      if (error instanceof TollgateError && error.code !== 'tenant-unknown') return tenant;
      throw error;
    }
  }

  private answerOf(
    status: Amended['status'] | 'unavailable',
    units: number,
    requestId: string | null,
  ): AmendAnswer {
    return { status, returned: units, revision: this.parts.policies.revision, requestId };
  }
}
