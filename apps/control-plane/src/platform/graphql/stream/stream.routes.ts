import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { type Actor, ActorSource } from '../../access/actor.js';
import { ApiError, isUnavailable, unauthenticated } from '../../errors/api-error.js';
import { formatGraphqlError } from '../../errors/graphql-errors.js';
import { GRAPHQL_STREAM_PATH } from '../../http/http-door.js';
import { Log } from '../../logging/log.js';
import { runInScope } from '../../scope/tenant-scope.js';
import { createGraphqlContext, type GraphqlContext } from '../context.js';
import { CostBill } from '../cost/cost-bill.js';
import { DocumentCost } from '../cost/document-cost.js';
import { payerOf } from '../cost/payer.js';
import { PointsMeter } from '../cost/points-meter.js';
import { OpenStreams } from './open-streams.js';
import { SseResponse } from './sse-response.js';
import { type CheckedSubscription, checkSubscription, runSubscription } from './subscription-run.js';

/** `POST /graphql/stream`: one subscription to a connection, by the same schema, guards and bounds as `/graphql`. */
@Injectable()
export class StreamRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly schemaHost: GraphQLSchemaHost,
    private readonly actors: ActorSource,
    private readonly meter: PointsMeter,
    private readonly streams: OpenStreams,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    fastify.post(GRAPHQL_STREAM_PATH, async (request, reply) => {
      const context = createGraphqlContext(request);
      context.actor = runInScope('accounts', () => this.actors.findActor(request.headers));
      // Before the response starts: while the database is unavailable it is a 503, which readers retry.
      const actor = await context.actor;
      const response = new SseResponse(reply);
      await this.answer(request, response, context, actor).catch((error: unknown) =>
        this.fail(request, response, error),
      );
      response.complete();
      return reply;
    });
  }

  private async answer(
    request: FastifyRequest,
    response: SseResponse,
    context: GraphqlContext,
    actor: Actor | undefined,
  ): Promise<void> {
    const { schema } = this.schemaHost;
    if (actor === undefined) throw unauthenticated();
    const subscription = checkSubscription(schema, (request.body ?? {}) as object);
    await this.pay(subscription, actor, request.ip);
    const stream = {
      headers: request.headers,
      actor,
      end: () => response.complete(),
      abort: () => response.abort(),
    };
    const refusal = this.streams.refusal(actor);
    if (refusal !== undefined) throw new ApiError('OVERLOADED', refusal);
    this.streams.add(stream);
    try {
      await this.forward(subscription, context, response);
    } finally {
      this.streams.remove(stream);
    }
  }

  private async forward(
    subscription: CheckedSubscription,
    context: GraphqlContext,
    response: SseResponse,
  ): Promise<void> {
    for await (const result of runSubscription(
      this.schemaHost.schema,
      subscription,
      context,
      response.closed,
    )) {
      await response.next(this.show(result, context.requestId));
    }
  }

  private async pay(subscription: CheckedSubscription, actor: Actor, address: string): Promise<void> {
    const cost = new DocumentCost({ schema: this.schemaHost.schema, ...subscription });
    const bill = new CostBill(this.meter, cost, payerOf(actor, address));
    bill.check();
    await bill.pay(false);
  }

  private async fail(request: FastifyRequest, response: SseResponse, error: unknown): Promise<void> {
    if (isUnavailable(error)) return response.abort();
    const message = error instanceof Error ? error.message : String(error);
    await response.next({ errors: [this.showError({ message }, error, request.id)] });
  }

  private show({ data, errors }: ExecutionResult, requestId: string): object {
    if (errors === undefined) return { data };
    return { data, errors: errors.map((error) => this.showError(error.toJSON(), error, requestId)) };
  }

  private showError(
    formatted: ReturnType<GraphQLError['toJSON']>,
    error: unknown,
    requestId: string,
  ): object {
    const shown = formatGraphqlError(formatted, error);
    if (shown.extensions?.code === 'INTERNAL')
      this.log.error({ err: error, requestId }, 'GraphQL stream failed');
    return { ...shown, extensions: { ...shown.extensions, requestId } };
  }
}
