import { NestFactory } from '@nestjs/core';
import { GraphQLSchemaBuilderModule, GraphQLSchemaFactory } from '@nestjs/graphql';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { RESOLVERS } from './features/api/resolvers.js';
import { lexicographicSortSchema, printSchema } from './platform/graphql/graphql-js.js';
import { SCHEMA_OPTIONS } from './platform/graphql/schema-options.js';

/** The GraphQL schema as text, built from the resolvers alone: no database, no Redis. */
export async function buildSchemaText(): Promise<string> {
  const app = await NestFactory.create(GraphQLSchemaBuilderModule, new FastifyAdapter(), { logger: false });
  await app.init();
  const schema = await app.get(GraphQLSchemaFactory).create(RESOLVERS, [], SCHEMA_OPTIONS);
  await app.close();
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}
