import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import { AppConfig } from '../../config/app-config.js';
import { errorReporting, formatGraphqlError } from '../error-responses.js';
import { GRAPHQL_PATH } from '../http/http-server.js';
import { Log } from '../log.js';
import { createGraphqlContext } from './context.js';
import { PointsMeter } from './cost/points-meter.js';
import { DOCUMENT_LIMITS } from './document-limits.js';
import { ExplorerRoutes } from './explorer.routes.js';
import { OperationPlugin } from './operation.plugin.js';
import { SCHEMA_OPTIONS } from './schema-options.js';
import { OpenStreams } from './stream/open-streams.js';
import { StreamRoutes } from './stream/stream.routes.js';

function options(config: AppConfig, log: Log): ApolloDriverConfig {
  return {
    path: GRAPHQL_PATH,
    autoSchemaFile: true,
    sortSchema: true,
    buildSchemaOptions: SCHEMA_OPTIONS,
    context: (request: FastifyRequest) => createGraphqlContext(request),
    introspection: config.graphqlIntrospection,
    graphiql: false,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    cache: 'bounded',
    // Schema names are shown only to callers who may see them.
    hideSchemaDetailsFromClientErrors: true,
    plugins: [errorReporting(log)],
    parseOptions: { maxTokens: DOCUMENT_LIMITS.tokens },
    formatError: formatGraphqlError,
  };
}

const apollo = GraphQLModule.forRootAsync<ApolloDriverConfig>({
  driver: ApolloDriver,
  inject: [AppConfig, Log],
  useFactory: options,
});

@Module({
  imports: [apollo],
  providers: [PointsMeter, OperationPlugin, OpenStreams, StreamRoutes, ExplorerRoutes],
})
export class GraphqlApiModule {}
