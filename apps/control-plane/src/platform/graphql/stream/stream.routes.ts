import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type {
  DocumentNode,
  ExecutionArgs,
  ExecutionResult,
  GraphQLError,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';
import { createHandler, type RequestParams } from 'graphql-sse';
import { type Actor, ActorSource } from '../../access/actor.js';
import { ApiError, isUnavailable, unauthenticated } from '../../api-error.js';
import { formatGraphqlError } from '../../error-responses.js';
import { GRAPHQL_STREAM_PATH } from '../../http/http-server.js';
import { Log } from '../../log.js';
import { Metrics } from '../../metrics/metrics.js';
import { currentLogFields, newRequestScope, runInRequest, runInScope } from '../../tenant-scope.js';
import { createGraphqlContext, type GraphqlContext } from '../context.js';
import { DocumentCost } from '../cost/document-cost.js';
import { DocumentPrice } from '../cost/document-price.js';
import { CostBill, PointsMeter, payerOf } from '../cost/points-meter.js';
import { DOCUMENT_LIMITS, screenDocument } from '../document-limits.js';
import {
  createSourceEventStream,
  execute,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
} from '../graphql-js.js';
import { readSubscriptions } from './additional-subscriptions.js';
import { EventQueue, type OpenStream, OpenStreams } from './open-streams.js';

/** Time without reads after which a connection is cut. */
const STALLED_AFTER_MS = 30_000;

interface CheckedDocument {
  document: DocumentNode;
  /** Undefined: valid. */
  fault: string | undefined;
}

interface CheckedSubscription {
  document: DocumentNode;
  operation: OperationDefinitionNode;
  variables: Record<string, unknown>;
  operationName: string | undefined;
}

/**
 * `POST /graphql/stream`: subscriptions with the schema, guards and cost limits of `/graphql`. graphql-sse implements the
 * protocol; limits, expiry of credentials and backpressure are ours (ADR 22), and so are several subscriptions on one
 * connection (ADR 85).
 */
@Injectable()
export class StreamRoutes implements OnModuleInit {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly schemaHost: GraphQLSchemaHost,
    private readonly actors: ActorSource,
    private readonly meter: PointsMeter,
    private readonly documents: DocumentPrice,
    private readonly streams: OpenStreams,
    private readonly metrics: Metrics,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    const handle = createHandler<undefined, StreamConnection>({
      // No stream tokens: they belong to one process, and the next request may reach another.
      authenticate: () => null,
      onSubscribe: ({ context }, params) => {
        const additional = params.extensions?.additionalSubscriptions;
        if (additional === undefined || context.actor === undefined) return this.run(context, params);
        const all = readSubscriptions(params, additional);
        if (typeof all !== 'string') return this.runAll(context, all);
        return [JSON.stringify({ errors: [{ message: all }] }), { status: 400, statusText: 'Bad Request' }];
      },
    });
    fastify.post(GRAPHQL_STREAM_PATH, async (request, reply) => {
      const context = createGraphqlContext(request);
      context.actor = runInScope('accounts', () => this.actors.findActor(request.headers));
      // Before the response starts, so that clients receive 503 while Postgres is unavailable.
      const actor = await context.actor;
      const { viewerId = actor?.id } = (request.body as Partial<RequestParams> | null)?.extensions ?? {};
      // A page of another user, who was signed in before, has no session.
      const connection = new StreamConnection(
        request,
        reply,
        context,
        viewerId === actor?.id ? actor : undefined,
      );
      const [body, init] = await handle({
        method: 'POST',
        url: request.url,
        headers: { get: (name) => (name === 'accept' ? 'text/event-stream' : headerOf(request, name)) },
        body: request.body as Record<string, unknown>,
        raw: undefined,
        context: connection,
      });
      if (body === null || typeof body === 'string') {
        const { errors = [] } = JSON.parse(body ?? '{}') as { errors?: { message: string }[] };
        const extensions = { code: 'BAD_USER_INPUT', requestId: request.id };
        const shown = errors.map(({ message }) => ({ message, extensions }));
        return reply.status(init.status).send({ errors: shown });
      }
      await connection.send(body, init.headers ?? {});
      return reply;
    });
  }

  /**
   * Runs the request's subscription and those in `extensions.additionalSubscriptions`. `extensions.subscription` of a result
   * is the position of its subscription, 0 for the request's; `extensions.ended` marks the end of one. A connection that
   * ends without these marks lost its session or its server.
   */
  private runAll(connection: StreamConnection, all: RequestParams[]): AsyncIterable<ExecutionResult> {
    const results = new EventQueue<ExecutionResult>(() => connection.end());
    const follow = async (one: RequestParams, subscription: number) => {
      const context = { ...connection.context, loaders: new Map() };
      for await (const result of this.run(connection, one, context))
        results.push({ ...result, extensions: { subscription } });
      if (!connection.closed.aborted) results.push({ extensions: { subscription, ended: true } });
    };
    // Each has its own scope of visible rows, as if it were a request.
    const followAlone = (one: RequestParams, subscription: number) =>
      runInRequest(newRequestScope(currentLogFields()), () => follow(one, subscription));
    void Promise.all(all.map(followAlone)).finally(() => results.end());
    return results;
  }

  /** Errors before the first event are results too. */
  private async *run(
    connection: StreamConnection,
    params: RequestParams,
    context = connection.context,
  ): AsyncGenerator<ExecutionResult> {
    const { actor, closed } = connection;
    const { schema } = this.schemaHost;
    let stream: OpenStream | undefined;
    const codes: unknown[] = [];
    try {
      if (actor === undefined) throw unauthenticated(connection.headers);
      const subscription = checkSubscription(schema, params, connection.checked);
      await this.pay(subscription, actor, context.req);
      const excess = this.streams.findExcess(actor);
      if (excess !== undefined) throw new ApiError('OVERLOADED', excess);
      stream = {
        headers: connection.headers,
        actor,
        end: () => connection.end(),
        abort: () => connection.abort(),
      };
      this.streams.add(stream);
      for await (const result of executeEvents(schema, subscription, context, closed)) {
        yield this.format(result, context.requestId);
        await connection.drained();
      }
    } catch (error) {
      codes.push(error instanceof ApiError ? error.code : 'INTERNAL');
      if (isUnavailable(error)) return connection.abort();
      const message = error instanceof Error ? error.message : String(error);
      yield { errors: [this.formatError({ message }, error, context.requestId)] } as ExecutionResult;
    } finally {
      if (stream !== undefined) this.streams.remove(stream);
      this.metrics.operationEnded('subscription', codes);
    }
  }

  private async pay(subscription: CheckedSubscription, actor: Actor, request: FastifyRequest): Promise<void> {
    const cost = new DocumentCost({ schema: this.schemaHost.schema, ...subscription });
    const bill = new CostBill(this.meter, cost, payerOf(actor, request.ip));
    bill.check();
    await bill.pay(false);
    if (bill.paid > 0) this.documents.settle(request);
  }

  private format({ data, errors }: ExecutionResult, requestId: string): ExecutionResult {
    if (errors === undefined) return { data: data ?? null };
    const formatted = errors.map((error) => this.formatError(error.toJSON(), error, requestId));
    return { ...(data === undefined ? {} : { data }), errors: formatted } as ExecutionResult;
  }

  private formatError(
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

class StreamConnection {
  readonly headers: IncomingHttpHeaders;
  /** By their text: several subscriptions may have one document with different variables, which is validated once. */
  readonly checked = new Map<string, CheckedDocument>();
  private readonly closing = new AbortController();
  private draining: Promise<void> = Promise.resolve();

  constructor(
    request: FastifyRequest,
    private readonly reply: FastifyReply,
    readonly context: GraphqlContext,
    readonly actor: Actor | undefined,
  ) {
    this.headers = request.headers;
    reply.raw.on('close', () => this.closing.abort());
    if (reply.raw.destroyed) this.closing.abort();
  }

  get closed(): AbortSignal {
    return this.closing.signal;
  }

  async send(body: AsyncGenerator<string, void, undefined>, headers: Record<string, string>): Promise<void> {
    this.reply.hijack();
    const { raw } = this.reply;
    if (raw.destroyed) return void (await body.return());
    raw.once('close', () => void body.return());
    raw.writeHead(200, {
      ...(this.reply.getHeaders() as Record<string, string>),
      ...headers,
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    for await (const chunk of body) {
      if (raw.destroyed) return;
      if (raw.write(chunk)) continue;
      this.draining = this.waitForDrain();
      await this.draining;
    }
    raw.end();
  }

  /** Resolves when the client can receive more. */
  drained(): Promise<void> {
    return this.draining;
  }

  /** Ends the stream with `complete`; the client does not reconnect. */
  end(): void {
    this.closing.abort();
  }

  /** Cuts the connection; the client reconnects. */
  abort(): void {
    this.reply.raw.destroy();
    this.closing.abort();
  }

  private async waitForDrain(): Promise<void> {
    const { raw } = this.reply;
    const signal = AbortSignal.timeout(STALLED_AFTER_MS);
    await Promise.race([once(raw, 'drain', { signal }), once(raw, 'close', { signal })]).catch(() =>
      raw.destroy(),
    );
  }
}

/** @throws ApiError BAD_USER_INPUT, or the GraphQLError of the parser */
function checkSubscription(
  schema: GraphQLSchema,
  params: RequestParams,
  checked: Map<string, CheckedDocument>,
): CheckedSubscription {
  const { query, variables, operationName } = params;
  // Additional subscriptions are not yet measured.
  const fault = screenDocument(params);
  if (fault !== undefined) throw new ApiError('BAD_USER_INPUT', fault);
  const { document, fault: invalid } = checked.get(query) ?? checkDocument(schema, query);
  checked.set(query, { document, fault: invalid });
  if (invalid !== undefined) throw new ApiError('BAD_USER_INPUT', invalid);
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== 'subscription') {
    throw new ApiError(
      'BAD_USER_INPUT',
      'Only subscriptions can be streamed. Send other operations to /graphql.',
    );
  }
  return { document, operation, variables: variables ?? {}, operationName: operationName ?? undefined };
}

/** @throws GraphQLError of the parser */
function checkDocument(schema: GraphQLSchema, query: string): CheckedDocument {
  const document = parse(query, { maxTokens: DOCUMENT_LIMITS.tokens });
  const [error] = validate(schema, document, [...specifiedRules, NoSchemaIntrospectionCustomRule]);
  return { document, fault: error && withoutSuggestions(error.message) };
}

/** Executes a subscription for each event, until the source ends or `closed` is aborted. */
async function* executeEvents(
  schema: GraphQLSchema,
  { document, variables, operationName }: CheckedSubscription,
  contextValue: GraphqlContext,
  closed: AbortSignal,
): AsyncGenerator<ExecutionResult> {
  const args: ExecutionArgs = { schema, document, contextValue, variableValues: variables, operationName };
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) {
    yield source;
    return;
  }
  const events = source[Symbol.asyncIterator]();
  const end = () => void events.return?.();
  closed.addEventListener('abort', end, { once: true });
  try {
    while (!closed.aborted) {
      const event = await events.next();
      if (event.done === true) return;
      contextValue.loaders.clear();
      yield await execute({ ...args, rootValue: event.value });
    }
  } finally {
    closed.removeEventListener('abort', end);
    end();
  }
}

function headerOf({ headers }: FastifyRequest, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value.join(', ') : value) ?? null;
}

/** Schema names are shown only to callers who may see them. */
function withoutSuggestions(message: string): string {
  return message.replace(/ Did you mean .*$/s, '');
}
