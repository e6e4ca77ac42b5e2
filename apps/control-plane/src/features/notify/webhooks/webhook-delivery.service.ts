import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { jobActor } from '../../../platform/access/actor.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import { Clock } from '../../../platform/clock.js';
import { newId } from '../../../platform/ids.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import { Metrics } from '../../../platform/metrics/metrics.js';
import { SealedSecrets } from '../../../platform/secrets.js';
import { type AttemptResult, retryDelayMs, WebhookSender, webhookHeaders } from './webhook-sender.js';
import { secretBinding } from './webhooks.graphql.js';
import {
  type ClaimedDelivery,
  INTERRUPTED,
  WebhookDeliveriesRepository,
  type WebhookEndpointRow,
  WebhookEndpointsRepository,
} from './webhooks.repository.js';

const GONE = 410;

/** Maximum wait for attempts in flight when the process stops. */
const FINISH_WITHIN_MS = 5_000;

const EXHAUSTED: AttemptResult = {
  delivered: false,
  statusCode: null,
  error: INTERRUPTED,
  retryAfterMs: undefined,
  durationMs: 0,
};

@Injectable()
export class WebhookDeliveryService {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly sender: WebhookSender,
    private readonly secrets: SealedSecrets,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  async attempt(delivery: ClaimedDelivery): Promise<void> {
    const result = delivery.isExhausted ? EXHAUSTED : await this.send(delivery);
    const { delivered, durationMs, statusCode, error } = result;
    const delayMs = delayAfter(result, delivery.attempts - delivery.attemptsBefore);
    const isDead = !delivered && delayMs === undefined;
    const ended = delivered ? 'DELIVERED' : isDead ? 'DEAD' : null;
    const at = this.clock.now();
    const isOurs = await this.deliveries.record(delivery, {
      attempt: { durationMs, statusCode, error },
      ended,
      at,
      nextAttemptAt: new Date(at.getTime() + (delayMs ?? 0)),
    });
    if (isOurs) this.metrics.webhookDeliveries.inc({ outcome: ended?.toLowerCase() ?? 'retry' });
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

  /** With the previous secret during the overlap. */
  private secretsOf(endpoint: WebhookEndpointRow, at: Date): string[] {
    const { secret, previousSecret, previousUntil } = endpoint;
    const isOverlapping = previousSecret !== null && previousUntil !== null && previousUntil > at;
    return [secret, ...(isOverlapping ? [previousSecret] : [])].map((sealed) =>
      this.secrets.openStored(secretBinding(endpoint.id), sealed),
    );
  }

  /** Disables an endpoint that returned 410 or never accepted the delivery. */
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
          ? 'The receiver returned 410 (gone).'
          : `Event ${delivery.id} could not be delivered in ${delivery.attempts} attempts. Last error: ${result.error}.`;
      const data = { status: 'DISABLED', disabledReason } as const;
      const disabled = await this.endpoints.update(change.tx, endpoint.id, data);
      const { tenantId, tenantKey, url } = endpoint;
      const tenant = tenantId === null || tenantKey === null ? undefined : { id: tenantId, key: tenantKey };
      await change.audit({
        action: 'webhookEndpoint.disable',
        entityId: endpoint.id,
        entityName: new URL(url).host,
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

/** Deliveries in flight in one process. */
const MAX_IN_FLIGHT = 256;

/** Deliveries in flight of one tenant, over all processes. */
const MAX_PER_TENANT = 32;

/** Deliveries in flight to one endpoint, over all processes. */
const MAX_PER_ENDPOINT = 4;

/** Share of the free slots per tenant, so that slow receivers leave slots for others. */
const TENANT_PART = 1 / 4;

/** Share of the free slots per claim, because a claim counts deliveries per tenant when it starts. */
const CLAIM_PART = 1 / 2;

/** A run ends when nothing is due, without waiting for receivers, so that the next run can use free slots. */
@Injectable()
@ScheduledJob({ name: 'deliver-webhooks', everyMs: 500 })
export class DeliverWebhooksJob implements OnModuleDestroy {
  private readonly inFlight = new Set<Promise<void>>();
  private isClosing = false;

  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly delivery: WebhookDeliveryService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    while (!this.isClosing && this.inFlight.size < MAX_IN_FLIGHT) {
      const room = MAX_IN_FLIGHT - this.inFlight.size;
      const claimed = await this.deliveries.claim(this.clock.now(), {
        total: Math.ceil(room * CLAIM_PART),
        perTenant: Math.min(MAX_PER_TENANT, Math.ceil(room * TENANT_PART)),
        perEndpoint: MAX_PER_ENDPOINT,
      });
      if (claimed.length === 0) break;
      for (const one of claimed) {
        const attempt = this.delivery
          .attempt(one)
          .catch((error) => this.log.error({ err: error, delivery: one.id }, 'webhook outcome not recorded'))
          .finally(() => this.inFlight.delete(attempt));
        this.inFlight.add(attempt);
      }
    }
  }

  async drain(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all(this.inFlight);
  }

  async onModuleDestroy(): Promise<void> {
    this.isClosing = true;
    // Another worker repeats an attempt without outcome when its claim expires.
    await Promise.race([this.drain(), delay(FINISH_WITHIN_MS, undefined, { ref: false })]);
  }
}
