import { Args, Context, ID, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireSignIn,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { badInput } from '../../../platform/api-error.js';
import { type Outcome, payloadOf } from '../../../platform/changes/outcome.js';
import {
  type Connection,
  cursorCodec,
  idOf,
  PageArgs,
  readPage,
} from '../../../platform/graphql/connection.js';
import { type GraphqlContext, requestLoader } from '../../../platform/graphql/context.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import {
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryConnection,
  WebhookDeliveryPayload,
  WebhookDeliveryRetryInput,
  WebhookEndpoint,
  WebhookEndpointCreateInput,
  WebhookEndpointPayload,
  WebhookEndpointRotateInput,
  WebhookEndpointSecretPayload,
  WebhookEndpointTargetInput,
  WebhookEndpointUpdateInput,
} from './webhooks.graphql.js';
import {
  type WebhookAttemptRow,
  WebhookDeliveriesRepository,
  type WebhookDeliveryRow,
  type WebhookEndpointRow,
} from './webhooks.repository.js';
import { type EndpointWithSecret, WebhooksService } from './webhooks.service.js';

const ATTEMPTS = Symbol('attempts by delivery id');
const cursors = cursorCodec('webhookDeliveries', idOf('webhookDelivery'));

@Resolver(() => WebhookDelivery)
export class WebhooksResolver {
  constructor(
    private readonly service: WebhooksService,
    private readonly deliveries: WebhookDeliveriesRepository,
  ) {}

  @RequireTenantPermission('webhooks:read', 'tenantKey')
  @Query(() => [WebhookEndpoint], {
    name: 'webhookEndpoints',
    description: 'Webhook endpoints, oldest first.',
  })
  list(
    @Args('tenantKey', {
      type: () => String,
      nullable: true,
      description: "Key of the tenant; the operator's own endpoints by default.",
    })
    tenantKey: string | null,
  ): Promise<WebhookEndpointRow[]> {
    return this.service.list(tenantKey ?? null);
  }

  @RequireSignIn()
  @Query(() => WebhookDeliveryConnection, {
    name: 'webhookDeliveries',
    description: 'Deliveries to an endpoint, newest first.',
  })
  async listDeliveries(
    @Args('endpointId', { type: () => ID, description: 'Id of the endpoint.' }) endpointId: string,
    @Args() args: PageArgs,
    @CurrentCaller() { actor }: Caller,
  ): Promise<Connection<WebhookDeliveryRow>> {
    const endpoint = await this.service.findById(actor, endpointId);
    if (endpoint === null) throw badInput('Webhook endpoint not found');
    return readPage(args, cursors, ({ id }) => id, this.deliveries, endpoint.id);
  }

  @RequireTenantPermission('webhooks:write', 'input.tenantKey')
  @Mutation(() => WebhookEndpointSecretPayload, {
    name: 'webhookEndpointCreate',
    description: 'Creates a webhook endpoint. The signing secret is returned only once.',
  })
  async create(@Input() input: WebhookEndpointCreateInput, @CurrentCaller() caller: Caller) {
    return withSecret(await this.service.create(caller, input));
  }

  @RequireSignIn()
  @Mutation(() => WebhookEndpointPayload, {
    name: 'webhookEndpointUpdate',
    description: 'Updates a webhook endpoint.',
  })
  async update(@Input() input: WebhookEndpointUpdateInput, @CurrentCaller() caller: Caller) {
    return payloadOf('endpoint', await this.service.update(caller, input));
  }

  @RequireSignIn()
  @Mutation(() => WebhookEndpointSecretPayload, {
    name: 'webhookEndpointSecretRotate',
    description:
      'Rotates the signing secret, returned only once. The previous secret keeps signing for the overlap.',
  })
  async rotate(@Input() input: WebhookEndpointRotateInput, @CurrentCaller() caller: Caller) {
    return withSecret(await this.service.rotate(caller, input));
  }

  @RequireSignIn()
  @Mutation(() => WebhookEndpointPayload, {
    name: 'webhookEndpointEnable',
    description: 'Enables a webhook endpoint.',
  })
  async enable(@Input() input: WebhookEndpointTargetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('endpoint', await this.service.setEnabled(caller, input, true));
  }

  @RequireSignIn()
  @Mutation(() => WebhookEndpointPayload, {
    name: 'webhookEndpointDisable',
    description: 'Disables a webhook endpoint.',
  })
  async disable(@Input() input: WebhookEndpointTargetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('endpoint', await this.service.setEnabled(caller, input, false));
  }

  @RequireSignIn()
  @Mutation(() => WebhookEndpointPayload, {
    name: 'webhookEndpointDelete',
    description: 'Deletes a webhook endpoint and its deliveries.',
  })
  async remove(@Input() input: WebhookEndpointTargetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('endpoint', await this.service.remove(caller, input));
  }

  @RequireSignIn()
  @Mutation(() => WebhookEndpointPayload, {
    name: 'webhookEndpointTest',
    description: 'Queues a `webhook.test` event.',
  })
  async test(@Input() input: WebhookEndpointTargetInput, @CurrentCaller() caller: Caller) {
    return payloadOf('endpoint', await this.service.test(caller, input));
  }

  @RequireSignIn()
  @Mutation(() => WebhookDeliveryPayload, {
    name: 'webhookDeliveryRetry',
    description: 'Retries a delivery from the start of its schedule, in any status.',
  })
  async retry(@Input() input: WebhookDeliveryRetryInput, @CurrentCaller() caller: Caller) {
    return payloadOf('delivery', await this.service.retry(caller, input));
  }

  @ResolveField('log', () => [WebhookAttempt])
  log(
    @Parent() delivery: WebhookDeliveryRow,
    @Context() context: GraphqlContext,
  ): Promise<WebhookAttemptRow[]> {
    return requestLoader<WebhookAttemptRow[]>(context, ATTEMPTS, [], (ids) =>
      this.deliveries.listAttempts(ids),
    )
      .load(delivery.id)
      .then((attempts) => attempts.map(withOpenOutcome));
  }
}

/** An attempt without an outcome: in progress, or its worker stopped. */
function withOpenOutcome(attempt: WebhookAttemptRow): WebhookAttemptRow {
  const isOpen = attempt.statusCode === null && attempt.error === null;
  return isOpen ? { ...attempt, error: 'no response yet' } : attempt;
}

function withSecret(outcome: Outcome<EndpointWithSecret>) {
  return outcome.ok
    ? {
        endpoint: outcome.value.endpoint,
        secret: outcome.changeId === null ? null : outcome.value.secret,
        userErrors: [],
      }
    : { endpoint: null, secret: null, userErrors: outcome.errors };
}
