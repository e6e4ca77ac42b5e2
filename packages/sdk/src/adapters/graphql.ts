import { GraphQLError } from 'graphql';
import { type CostRules, documentCost, type GraphQLDocument } from '../guard/document-cost.js';
import {
  type CallerOptions,
  checkGuardOptions,
  type DeniedVerdict,
  extensionsOf,
  judge,
  type LimitOptions,
} from '../guard/guard.js';
import type { EndRequest } from '../guard/request-end.js';

export { type CostRules, documentCost };

export type GraphQLOptions<C> = Omit<LimitOptions<C>, 'operation' | 'cost' | 'refundOn'> &
  CallerOptions<C> &
  OfDocuments<C>;

interface OfDocuments<C> {
  /** Default: the operation's name in the document, or `anonymous`. */
  operation?: (document: { name: string | null; kind: string }) => string;
  /** Default: one unit per field, multiplied by the requested length of lists. */
  cost?: CostRules;
  ip?: (context: C) => string | undefined;
}

interface ResolvedOperation<C> {
  document: GraphQLDocument;
  operationName: string | null;
  operation?: { operation: string };
  request: { variables?: Record<string, unknown> };
  contextValue: C;
  response: { http?: { headers: { set(name: string, value: string): unknown } } };
}

interface SentResponse {
  response: { body?: { kind: string } };
}

/**
 * Plugin for Apollo Server: charges each operation before it runs. A denial is a GraphQL error with `extensions.code`
 * `RATE_LIMITED`, the problem in `extensions.problem`, and status 429 or 503.
 */
export function tollgateApollo<C>(options: GraphQLOptions<C>) {
  checkGuardOptions('tollgateApollo', { ...options, operation: options.operation ?? (() => 'anonymous') });
  const ends = new WeakMap<object, () => void>();
  return {
    async requestDidStart(requestContext: object) {
      let endRequest: EndRequest | undefined;
      let isEnded = false;
      const end = () => {
        isEnded = true;
        endRequest?.(undefined);
      };
      ends.set(requestContext, end);
      return {
        async didResolveOperation(resolved: ResolvedOperation<C>): Promise<void> {
          const name = resolved.operationName;
          const kind = resolved.operation?.operation ?? 'query';
          const operation = options.operation?.({ name, kind }) ?? name ?? 'anonymous';
          const cost = documentCost(resolved.document, name, resolved.request.variables ?? {}, options.cost);
          const context = resolved.contextValue;
          const verdict = await judge({ ...options, operation, cost }, context, options.ip?.(context));
          for (const [header, value] of Object.entries(verdict.headers)) {
            resolved.response.http?.headers.set(header, value);
          }
          if (!verdict.pass) throw denialError(verdict);
          endRequest = verdict.end;
          // Another plugin rejected the operation during the check.
          if (isEnded) end();
        },
        async willSendResponse({ response }: SentResponse): Promise<void> {
          if (response.body?.kind !== 'incremental') end();
        },
        async willSendSubsequentPayload(_: unknown, { hasNext }: { hasNext: boolean }): Promise<void> {
          if (!hasNext) end();
        },
      };
    },
    /** Another plugin threw: no response is sent. */
    async unexpectedErrorProcessingRequest({ requestContext }: { requestContext: object }): Promise<void> {
      ends.get(requestContext)?.();
    },
  };
}

function denialError(denied: DeniedVerdict): GraphQLError {
  const { http, ...extensions } = extensionsOf(denied);
  return new GraphQLError(denied.body.title, {
    extensions: { ...extensions, http: { ...http, status: denied.status } },
  });
}
