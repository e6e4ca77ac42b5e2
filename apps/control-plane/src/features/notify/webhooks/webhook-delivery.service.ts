import { Injectable } from '@nestjs/common';
import { jobActor } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { Clock } from '../../../platform/clock/clock.js';
import { newId } from '../../../platform/ids/new-id.js';
import { SealedSecrets } from '../../../platform/secrets/sealed-secrets.js';
import { retryDelayMs } from './retry-schedule.js';
import { secretBinding } from './webhook.rules.js';
import {
  type ClaimedDelivery,
  INTERRUPTED,
  WebhookDeliveriesRepository,
} from './webhook-deliveries.repository.js';
import { type WebhookEndpointRow, WebhookEndpointsRepository } from './webhook-endpoints.repository.js';
import { type AttemptResult, WebhookSender } from './webhook-sender.js';
import { webhookHeaders } from './webhook-signature.js';

const GONE = 410;

/** A delivery whose last attempt was interrupted. */
const EXHAUSTED: AttemptResult = {
  delivered: false,
  statusCode: null,
  error: INTERRUPTED,
  retryAfterMs: undefined,
  durationMs: 0,
};

/** Sends a claimed delivery and records the outcome. */
@Injectable()
export class WebhookDeliveryService {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly sender: WebhookSender,
    private readonly secrets: SealedSecrets,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  async attempt(delivery: ClaimedDelivery): Promise<void> {
    const result = delivery.isExhausted ? EXHAUSTED : await this.send(delivery);
    const { delivered, durationMs, statusCode, error } = result;
    const delayMs = delayAfter(result, delivery.attempts - delivery.attemptsBefore);
    const isDead = !delivered && delayMs === undefined;
    const at = this.clock.now();
    const isOurs = await this.deliveries.record(delivery, {
      attempt: { durationMs, statusCode, error },
      ended: delivered ? 'DELIVERED' : isDead ? 'DEAD' : null,
      at,
      nextAttemptAt: new Date(at.getTime() + (delayMs ?? 0)),
    });
    if (isOurs && isDead) await this.disable(delivery.endpoint, delivery, result);
  }

  private async send({ id, body, endpoint }: ClaimedDelivery): Promise<AttemptResult> {
    const at = this.clock.now();
    const message = { id, timestamp: Math.floor(at.getTime() / 1000), body };
    let headers: Record<string, string>;
    try {
      headers = webhookHeaders(message, this.secretsOf(endpoint, at));
    } catch {
      return { ...EXHAUSTED, error: 'the signing secret cannot be opened: rotate it' };
    }
    return this.sender.send(endpoint.url, headers, body);
  }

  /** The secret in force and, until its time is over, the one before. */
  private secretsOf(endpoint: WebhookEndpointRow, at: Date): string[] {
    const { secret, previousSecret, previousUntil } = endpoint;
    const isOverlapping = previousSecret !== null && previousUntil !== null && previousUntil > at;
    return [secret, ...(isOverlapping ? [previousSecret] : [])].map((sealed) =>
      this.secrets.openStored(secretBinding(endpoint.id), sealed),
    );
  }

  /** An endpoint that is gone, or was out of reach for days, is not tried any more; its owner is told. */
  private async disable(
    seen: WebhookEndpointRow,
    delivery: ClaimedDelivery,
    result: AttemptResult,
  ): Promise<void> {
    const caller = { actor: jobActor('webhook-delivery'), requestId: newId('request') };
    await this.changes.run(caller, { reason: null }, async (change) => {
      const endpoint = await this.endpoints.lockById(change.tx, seen.id);
      if (endpoint === null || endpoint.status === 'DISABLED') return endpoint;
      const disabledReason =
        result.statusCode === GONE
          ? 'The receiver answered that it is gone (410).'
          : `Event ${delivery.id} could not be delivered in ${delivery.attempts} attempts; the last: ${result.error}.`;
      const data = { status: 'DISABLED', disabledReason } as const;
      const disabled = await this.endpoints.update(change.tx, endpoint.id, data);
      const { tenantId, tenantKey, url } = endpoint;
      const tenant = tenantId === null || tenantKey === null ? undefined : { id: tenantId, key: tenantKey };
      await change.audit({
        action: 'webhookEndpoint.disable',
        entity: 'WebhookEndpoint',
        entityId: endpoint.id,
        ...(tenant === undefined ? {} : { tenantKey: tenant.key }),
        before: { status: endpoint.status },
        after: data,
      });
      await change.notify({
        kind: 'webhook.disabled',
        ...(tenant === undefined ? {} : { tenant }),
        data: { endpointId: endpoint.id, host: new URL(url).host, reason: disabledReason },
      });
      return disabled;
    });
  }
}

function delayAfter(
  { delivered, statusCode, retryAfterMs }: AttemptResult,
  number: number,
): number | undefined {
  if (delivered) return 0;
  if (statusCode === GONE) return undefined;
  return retryDelayMs(number, Math.random(), retryAfterMs);
}
