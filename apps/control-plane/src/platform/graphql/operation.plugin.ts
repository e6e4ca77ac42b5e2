import {
  type ApolloServerPlugin,
  type GraphQLRequestContext,
  type GraphQLRequestListener,
  type GraphQLResponse,
  HeaderMap,
} from '@apollo/server';
import { Plugin } from '@nestjs/apollo';
import {
  type DocumentNode,
  type FormattedExecutionResult,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { AppConfig } from '../../config/app-config.js';
import { type Actor, ActorSource, isAdminToken } from '../access/actor.js';
import { NOT_RECENT } from '../access/recent-sign-in.js';
import { ApiError, unauthenticated } from '../api-error.js';
import {
  type ClaimedKey,
  IdempotencyKeys,
  type Opened,
  type StoredResponse,
} from '../idempotency/idempotency-keys.js';
import {
  hashBody,
  IDEMPOTENCY_HEADER,
  type IdempotentRequest,
  parseIdempotencyKey,
} from '../idempotency/idempotent-request.js';
import { Metrics } from '../metrics/metrics.js';
import { runInScope, setRequestOperation } from '../tenant-scope.js';
import type { GraphqlContext } from './context.js';
import { DocumentCost } from './cost/document-cost.js';
import { DocumentPrice } from './cost/document-price.js';
import { CostBill, PointsMeter, payerOf } from './cost/points-meter.js';
import { measureOperation } from './document-limits.js';

type Request = GraphQLRequestContext<GraphqlContext>;

/**
 * Charges the cost of each operation, and returns the stored response of a mutation repeated with the same Idempotency-
 * Key.
 */
@Plugin()
export class OperationPlugin implements ApolloServerPlugin<GraphqlContext> {
  constructor(
    private readonly meter: PointsMeter,
    private readonly documents: DocumentPrice,
    private readonly keys: IdempotencyKeys,
    private readonly actors: ActorSource,
    private readonly metrics: Metrics,
    private readonly config: AppConfig,
  ) {}

  async requestDidStart(): Promise<GraphQLRequestListener<GraphqlContext>> {
    let bill: CostBill | undefined;
    let opened: Opened | undefined;
    return {
      didResolveOperation: async (request) => {
        const { contextValue } = request;
        setRequestOperation(rootFieldsOf(request), request.operation?.operation === 'query');
        contextValue.actor ??= runInScope('accounts', () => this.actors.findActor(contextValue.req.headers));
        const actor = await contextValue.actor;
        this.checkIntrospection(request, actor);
        bill = new CostBill(this.meter, costOf(request), payerOf(actor, contextValue.req.ip));
        bill.check();
        const idempotent = idempotentRequest(request, actor);
        opened = idempotent === undefined ? undefined : await this.keys.open(idempotent);
        await bill.pay(opened !== undefined && 'answer' in opened);
        if (bill.paid > 0) this.documents.settle(contextValue.req);
        if (opened !== undefined && 'claimed' in opened) contextValue.steps = opened.claimed.steps;
      },
      responseForOperation: async () =>
        opened !== undefined && 'answer' in opened ? asResponse(opened.answer) : null,
      willSendResponse: async ({ response, operation }) => {
        if (response.body.kind !== 'single') return;
        const { singleResult } = response.body;
        const codes = singleResult.errors?.map(({ extensions }) => extensions?.code) ?? [];
        this.metrics.operationEnded(operation?.operation ?? 'invalid', codes);
        const cost = bill?.finish(singleResult.data);
        if (opened !== undefined && 'claimed' in opened) await keep(opened.claimed, singleResult);
        if (cost !== undefined) singleResult.extensions = { ...singleResult.extensions, cost };
      },
    };
  }

  /** @throws ApiError UNAUTHENTICATED, FORBIDDEN */
  private checkIntrospection({ document, operation, contextValue }: Request, actor: Actor | undefined): void {
    if (this.config.graphqlIntrospection) return;
    const { introspects } = measureOperation(document as DocumentNode, operation as OperationDefinitionNode);
    if (!introspects || (actor !== undefined && isAdminToken(actor))) return;
    const { code, message } =
      actor === undefined ? unauthenticated(contextValue.req.headers) : introspectionForbidden();
    throw new ApiError(code, message, {}, {});
  }
}

const introspectionForbidden = () =>
  new ApiError(
    'FORBIDDEN',
    'Introspection requires a service token with the scope admin. GET /schema.graphql returns the schema.',
  );

/** After these errors, a repetition can succeed. */
const REPEATABLE = new Set<unknown>(['INTERNAL', 'UNAVAILABLE', 'OVERLOADED', NOT_RECENT]);

function costOf({ schema, document, operation, request }: Request): DocumentCost {
  return new DocumentCost({
    schema,
    document: document as DocumentNode,
    operation: operation as OperationDefinitionNode,
    variables: request.variables ?? {},
  });
}

/** Not the name of the operation, which the caller chooses. Fields of fragments are omitted. */
function rootFieldsOf({ operation }: Request): string {
  const { selections } = (operation as OperationDefinitionNode).selectionSet;
  const names = selections.map((selection) => (selection.kind === Kind.FIELD ? selection.name.value : '…'));
  return [...new Set(names)].sort().join(' ');
}

/** Undefined for queries, anonymous requests and requests without the header. @throws ApiError */
function idempotentRequest(
  { request, operation }: Request,
  actor: Actor | undefined,
): IdempotentRequest | undefined {
  const header = request.http?.headers.get(IDEMPOTENCY_HEADER);
  if (header === undefined || operation?.operation !== 'mutation' || actor === undefined) return undefined;
  const key = parseIdempotencyKey(header);
  if (key === undefined) {
    throw new ApiError('BAD_USER_INPUT', 'Idempotency-Key must be 1 to 255 visible ASCII characters', {}, {});
  }
  return { actorId: actor.id, key, bodyHash: hashBody(request) };
}

function asResponse({ data, errors }: StoredResponse): GraphQLResponse {
  const singleResult = { data, ...(errors === undefined ? {} : { errors }) } as FormattedExecutionResult;
  const headers = new HeaderMap([['idempotent-replayed', 'true']]);
  return { http: { headers }, body: { kind: 'single', singleResult } } as GraphQLResponse;
}

/** Stores the response, unless the operation was not executed or a repetition can succeed. */
async function keep(claimed: ClaimedKey, { data, errors }: FormattedExecutionResult): Promise<void> {
  const isFinal = data != null && !errors?.some(({ extensions }) => REPEATABLE.has(extensions?.code));
  if (!isFinal) await claimed.release();
  else await claimed.answer({ data, ...(errors === undefined ? {} : { errors }) });
}
