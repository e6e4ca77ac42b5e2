import { Injectable } from '@nestjs/common';
import type { AuditAction } from '@tollgate/contracts/audit-actions';
import type * as z from 'zod';
import { mayIn } from '../../../platform/access/ability.js';
import type { Actor, Caller } from '../../../platform/access/actor.js';
import type { Permission } from '../../../platform/access/permissions.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  conflict,
  invalid,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { kindOfId, newId } from '../../../platform/ids.js';
import { SealedSecrets } from '../../../platform/secrets.js';
import { TenantsRepository } from '../../customers/index.js';
import { newWebhookSecret, WebhookSender } from './webhook-sender.js';
import {
  MAX_ENDPOINTS,
  secretBinding,
  type WebhookDeliveryRetryInput,
  type WebhookEndpointCreateInput,
  type WebhookEndpointRotateInput,
  type WebhookEndpointTargetInput,
  type WebhookEndpointUpdateInput,
  webhookDeliveryRetrySchema,
  webhookEndpointRotateSchema,
  webhookEndpointTargetSchema,
  withUrlCheck,
} from './webhooks.graphql.js';
import {
  WebhookDeliveriesRepository,
  type WebhookDeliveryRow,
  type WebhookEndpointRow,
  WebhookEndpointsRepository,
} from './webhooks.repository.js';

export interface EndpointWithSecret {
  endpoint: WebhookEndpointRow;
  /** Returned only once. */
  secret: string;
}

const HOUR_MS = 3_600_000;

/** Manages webhook endpoints and retries of deliveries. */
@Injectable()
export class WebhooksService {
  private readonly schemas;

  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly tenants: TenantsRepository,
    private readonly changes: ChangeRunner,
    private readonly secrets: SealedSecrets,
    private readonly clock: Clock,
    sender: WebhookSender,
  ) {
    this.schemas = withUrlCheck((url) => sender.targets.checkUrl(url));
  }

  /** Endpoints of a tenant, or the operator's own; empty if the tenant does not exist. */
  async list(tenantKey: string | null): Promise<WebhookEndpointRow[]> {
    if (tenantKey === null) return this.endpoints.list(null);
    const tenant = await this.tenants.findByKey(tenantKey);
    return tenant === null ? [] : this.endpoints.list(tenant.id);
  }

  /** Null if it does not exist or the actor may not read it. */
  async findById(actor: Actor, id: string): Promise<WebhookEndpointRow | null> {
    if (kindOfId(id) !== 'webhookEndpoint') return null;
    const endpoint = await this.endpoints.findById(id);
    return endpoint !== null && isPermitted(actor, 'webhooks:read', endpoint) ? endpoint : null;
  }

  /** Errors: INVALID, NOT_FOUND, IN_USE above the maximum number. */
  async create(caller: Caller, input: WebhookEndpointCreateInput): Promise<Outcome<EndpointWithSecret>> {
    const parsed = parseInput(this.schemas.create, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, reason, ...data } = parsed.data;
    const secret = newWebhookSecret();
    return this.changes.run<EndpointWithSecret>(caller, { reason }, async (change) => {
      const tenant = tenantKey === null ? undefined : await this.tenants.lockByKey(change.tx, tenantKey);
      if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      const tenantId = tenant?.id ?? null;
      if ((await this.endpoints.count(change.tx, tenantId)) >= MAX_ENDPOINTS) {
        const message = `At most ${MAX_ENDPOINTS} endpoints are allowed. Delete one first.`;
        return refuse([userError(UserErrorCode.IN_USE, null, message)]);
      }
      const id = newId('webhookEndpoint');
      const sealed = this.secrets.seal(secretBinding(id), secret);
      const endpoint = await this.endpoints.create(change.tx, {
        ...data,
        id,
        tenantId,
        tenantKey,
        secret: sealed,
      });
      await audit(change, 'create', endpoint, null, { ...data });
      return { endpoint, secret };
    });
  }

  /** Errors: INVALID, NOT_FOUND, CONFLICT. */
  async update(caller: Caller, input: WebhookEndpointUpdateInput): Promise<Outcome<WebhookEndpointRow>> {
    return this.change(caller, this.schemas.update, input, async (change, endpoint, data) => {
      const before = { url: endpoint.url, description: endpoint.description, events: endpoint.events };
      const { url, description, events } = data;
      const after = {
        url: url ?? before.url,
        description: description ?? before.description,
        events: events ?? before.events,
      };
      await audit(change, 'update', endpoint, before, after);
      return this.endpoints.update(change.tx, endpoint.id, after);
    });
  }

  /**
   * Rotates the secret; events are also signed with the previous one during the overlap. Errors: NOT_FOUND, CONFLICT.
   */
  async rotate(caller: Caller, input: WebhookEndpointRotateInput): Promise<Outcome<EndpointWithSecret>> {
    const secret = newWebhookSecret();
    const outcome = await this.change(
      caller,
      webhookEndpointRotateSchema,
      input,
      async (change, endpoint, data) => {
        const previousUntil = new Date(this.clock.now().getTime() + data.overlapHours * HOUR_MS);
        const after = { previousUntil: previousUntil.toISOString() };
        await audit(change, 'secretRotate', endpoint, null, after);
        return this.endpoints.update(change.tx, endpoint.id, {
          secret: this.secrets.seal(secretBinding(endpoint.id), secret),
          previousSecret: endpoint.secret,
          previousUntil,
        });
      },
    );
    return outcome.ok ? { ...outcome, value: { endpoint: outcome.value, secret } } : refuse(outcome.errors);
  }

  /** Errors: NOT_FOUND, CONFLICT, INVALID if nothing changes. */
  async setEnabled(
    caller: Caller,
    input: WebhookEndpointTargetInput,
    enabled: boolean,
  ): Promise<Outcome<WebhookEndpointRow>> {
    const status = enabled ? 'ENABLED' : 'DISABLED';
    return this.change(caller, webhookEndpointTargetSchema, input, async (change, endpoint) => {
      if (endpoint.status === status) {
        const message = `The endpoint is already ${status.toLowerCase()}.`;
        return refuse([invalid(['id'], message)], endpoint);
      }
      await audit(change, enabled ? 'enable' : 'disable', endpoint, { status: endpoint.status }, { status });
      const disabledReason = enabled ? null : 'Disabled manually.';
      return this.endpoints.update(change.tx, endpoint.id, { status, disabledReason });
    });
  }

  /** Deletes an endpoint and its deliveries. Errors: NOT_FOUND, CONFLICT. */
  async remove(caller: Caller, input: WebhookEndpointTargetInput): Promise<Outcome<WebhookEndpointRow>> {
    return this.change(caller, webhookEndpointTargetSchema, input, async (change, endpoint) => {
      const { url, description, events } = endpoint;
      await audit(change, 'delete', endpoint, { url, description, events }, null);
      await this.endpoints.remove(change.tx, endpoint.id);
      return endpoint;
    });
  }

  /** Queues a `webhook.test` event. Errors: NOT_FOUND, CONFLICT. */
  async test(caller: Caller, input: WebhookEndpointTargetInput): Promise<Outcome<WebhookEndpointRow>> {
    return this.change(caller, webhookEndpointTargetSchema, input, async (change, endpoint) => {
      const body = {
        type: 'webhook.test',
        timestamp: this.clock.now().toISOString(),
        data: { endpointId: endpoint.id },
      };
      const { id: endpointId, tenantId } = endpoint;
      const id = newId('webhookDelivery');
      const row = { id, endpointId, tenantId, event: body.type, body: JSON.stringify(body) };
      await this.deliveries.createMany(change.tx, [row]);
      await audit(change, 'test', endpoint, null, { deliveryId: id });
      return endpoint;
    });
  }

  /** Retries a delivery from the start of its schedule. Errors: NOT_FOUND. */
  async retry(caller: Caller, input: WebhookDeliveryRetryInput): Promise<Outcome<WebhookDeliveryRow>> {
    const parsed = parseInput(webhookDeliveryRetrySchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { id, reason } = parsed.data;
    const missing = notFound(['id'], 'delivery with this id');
    if (kindOfId(id) !== 'webhookDelivery') return refuse([missing]);
    return this.changes.run<WebhookDeliveryRow>(caller, { reason }, async (change) => {
      const delivery = await this.deliveries.findById(id, change.tx);
      if (delivery === null || !isPermitted(caller.actor, 'webhooks:write', delivery.endpoint))
        return refuse([missing]);
      await audit(
        change,
        'deliveryRetry',
        delivery.endpoint,
        { status: delivery.status },
        { deliveryId: id },
      );
      return this.deliveries.retry(change.tx, delivery, this.clock.now());
    });
  }

  /** Runs `work` on the locked endpoint if the caller may change it and has seen its current version. */
  private async change<T extends { id: string; expectedVersion: number; reason: string | null }>(
    caller: Caller,
    schema: z.ZodType<T>,
    input: object,
    work: (
      change: Change,
      endpoint: WebhookEndpointRow,
      data: T,
    ) => Promise<WebhookEndpointRow | Refusal<WebhookEndpointRow>>,
  ): Promise<Outcome<WebhookEndpointRow>> {
    const parsed = parseInput(schema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { id, expectedVersion, reason } = parsed.data;
    return this.changes.run<WebhookEndpointRow>(caller, { reason }, async (change) => {
      const isId = kindOfId(id) === 'webhookEndpoint';
      const endpoint = isId ? await this.endpoints.lockById(change.tx, id) : null;
      if (endpoint === null || !isPermitted(caller.actor, 'webhooks:write', endpoint)) {
        return refuse([notFound(['id'], 'endpoint with this id')]);
      }
      if (endpoint.version !== expectedVersion) return refuse([conflict('endpoint')], endpoint);
      return work(change, endpoint, parsed.data);
    });
  }
}

/** Members may act on their tenant's endpoints, operators on all. */
function isPermitted(actor: Actor, permission: Permission, { tenantKey }: WebhookEndpointRow): boolean {
  return mayIn(actor.ability, permission, tenantKey ?? '');
}

type StepOf<A> = A extends `webhookEndpoint.${infer Step}` ? Step : never;

function audit(
  change: Change,
  what: StepOf<AuditAction>,
  { id, url, tenantKey }: WebhookEndpointRow,
  before: Record<string, string | string[]> | null,
  after: Record<string, string | string[]> | null,
): Promise<void> {
  const action = `webhookEndpoint.${what}` as const;
  const facts = { action, entityId: id, entityName: new URL(url).host, before, after };
  return change.audit(tenantKey === null ? facts : { ...facts, tenantKey });
}
