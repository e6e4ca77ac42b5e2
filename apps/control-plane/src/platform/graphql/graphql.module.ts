import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloArmor } from '@escape.tech/graphql-armor';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { GraphQLModule } from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import { AppConfig } from '../../config/app-config.js';
import { errorReporting, formatGraphqlError } from '../errors/graphql-errors.js';
import { GRAPHQL_PATH } from '../http/http-door.js';
import { Log } from '../logging/log.js';
import { createGraphqlContext } from './context.js';
import { SCHEMA_OPTIONS } from './schema-options.js';

/** How large and how intricate one document may be; checked before it is run. */
export const DOCUMENT_LIMITS = { depth: 10, aliases: 15, directives: 20, tokens: 1000 } as const;

function armor(config: AppConfig) {
  const { plugins, validationRules } = new ApolloArmor({
    maxDepth: {
      n: DOCUMENT_LIMITS.depth,
      ignoreIntrospection: config.graphqlIntrospection,
      exposeLimits: true,
    },
    maxAliases: { n: DOCUMENT_LIMITS.aliases, exposeLimits: true },
    maxDirectives: { n: DOCUMENT_LIMITS.directives, exposeLimits: true },
    // The parser counts tokens itself and stops at the first one too many.
    maxTokens: { enabled: false },
    // Its price per field says nothing about ours.
    costLimit: { enabled: false },
  }).protect();
  // Typed by the CommonJS face of Apollo, which TypeScript takes for another class.
  return { plugins: plugins as unknown as ApolloServerPlugin[], validationRules };
}

function options(config: AppConfig, log: Log): ApolloDriverConfig {
  const { plugins, validationRules } = armor(config);
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
    plugins: [...plugins, errorReporting(log)],
    validationRules,
    parseOptions: { maxTokens: DOCUMENT_LIMITS.tokens },
    formatError: formatGraphqlError,
  };
}

/** The GraphQL door: Apollo with our schema, limits and errors; no explorer page. */
export const GraphqlDoorModule = GraphQLModule.forRootAsync<ApolloDriverConfig>({
  driver: ApolloDriver,
  inject: [AppConfig, Log],
  useFactory: options,
});
