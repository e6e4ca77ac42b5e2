import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Module,
  type NestInterceptor,
} from '@nestjs/common';
import {
  type BuildSchemaOptions,
  type GqlContextType,
  GqlExecutionContext,
  GraphQLModule,
} from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import { map } from 'rxjs';
import { errorReporting, formatGraphqlError } from '../error-responses.js';
import { GRAPHQL_PATH } from '../http/http-server.js';
import { Log } from '../log.js';
import { createGraphqlContext, type GraphqlContext } from './context.js';
import { DocumentPrice } from './cost/document-price.js';
import { DOCUMENT_LIMITS } from './document-limits.js';
import { ExplorerRoutes } from './explorer.routes.js';
import { LargeBodies } from './large-bodies.js';
import { OperationPlugin } from './operation.plugin.js';
import { SchemaController } from './schema.controller.js';
import { OpenStreams } from './stream/open-streams.js';
import { StreamRoutes } from './stream/stream.routes.js';

export const SCHEMA_OPTIONS = { numberScalarMode: 'integer' } satisfies BuildSchemaOptions;

/** Clears loaders before each mutation, because an earlier mutation of the document may have changed the cached values. */
@Injectable()
export class FreshLoadersInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler) {
    if (execution.getType<GqlContextType>() === 'graphql') {
      const graphql = GqlExecutionContext.create(execution);
      const { operation } = graphql.getInfo<{ operation: { operation: string } }>();
      if (operation.operation === 'mutation') graphql.getContext<GraphqlContext>().loaders.clear();
    }
    return next.handle();
  }
}

/** Adds the impact of a dry run to the payload of its mutation. */
@Injectable()
export class ImpactInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler) {
    if (execution.getType<GqlContextType>() !== 'graphql') return next.handle();
    const graphql = GqlExecutionContext.create(execution);
    const info = graphql.getInfo<{ path: { key: string }; parentType: { name: string } }>();
    if (info.parentType.name !== 'Mutation') return next.handle();
    const { impacts } = graphql.getContext<GraphqlContext>();
    return next
      .handle()
      .pipe(map((payload: object) => ({ ...payload, impact: impacts.get(String(info.path.key)) ?? null })));
  }
}

function options(log: Log): ApolloDriverConfig {
  return {
    path: GRAPHQL_PATH,
    autoSchemaFile: true,
    sortSchema: true,
    buildSchemaOptions: SCHEMA_OPTIONS,
    context: (request: FastifyRequest) => createGraphqlContext(request),
    // Per caller, by OperationPlugin.
    introspection: true,
    graphiql: false,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    cache: 'bounded',
    logger: apolloLog(log),
    // Schema names are shown only to callers who may see them.
    hideSchemaDetailsFromClientErrors: true,
    // Apollo's cache control wraps each field of each object; no response may be cached.
    plugins: [errorReporting(log), ApolloServerPluginCacheControlDisabled()],
    parseOptions: { maxTokens: DOCUMENT_LIMITS.tokens },
    formatError: formatGraphqlError,
  };
}

/** Messages of Apollo, such as errors outside of resolvers. */
function apolloLog(log: Log): NonNullable<ApolloDriverConfig['logger']> {
  return {
    debug: (message) => log.debug({}, String(message)),
    info: (message) => log.info({}, String(message)),
    warn: (message) => log.warn({}, String(message)),
    error: (message) => log.error({}, String(message)),
  };
}

const apollo = GraphQLModule.forRootAsync<ApolloDriverConfig>({
  driver: ApolloDriver,
  inject: [Log],
  useFactory: options,
});

@Module({
  imports: [apollo],
  controllers: [SchemaController],
  providers: [DocumentPrice, OperationPlugin, LargeBodies, OpenStreams, StreamRoutes, ExplorerRoutes],
})
export class GraphqlApiModule {}
