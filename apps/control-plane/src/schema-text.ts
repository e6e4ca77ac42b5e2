import type { Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/constants.js';
import { NestFactory } from '@nestjs/core';
import { GraphQLSchemaBuilderModule, GraphQLSchemaFactory, RESOLVER_NAME_METADATA } from '@nestjs/graphql';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { API_MODULES } from './app.module.js';
import { SCHEMA_OPTIONS } from './platform/graphql/graphql.module.js';
import { sdlOf } from './platform/graphql/schema.controller.js';

/** Returns the GraphQL schema as text. Resolvers are not instantiated, so neither Postgres nor Redis is required. */
export async function buildSchemaText(): Promise<string> {
  const app = await NestFactory.create(GraphQLSchemaBuilderModule, new FastifyAdapter(), { logger: false });
  await app.init();
  const resolvers = [...providersOf(API_MODULES)].filter((one) =>
    Reflect.hasMetadata(RESOLVER_NAME_METADATA, one),
  );
  const schema = await app.get(GraphQLSchemaFactory).create(resolvers, [], SCHEMA_OPTIONS);
  await app.close();
  return sdlOf(schema);
}

/** Provider classes of these modules and of the modules that they import. */
function providersOf(modules: readonly unknown[], visited = new Set<unknown>()): Set<Type> {
  const found = new Set<Type>();
  for (const module of modules) {
    if (typeof module !== 'function' || visited.has(module)) continue;
    visited.add(module);
    const parts = (key: string): unknown[] => Reflect.getMetadata(key, module) ?? [];
    for (const provider of parts(MODULE_METADATA.PROVIDERS))
      if (typeof provider === 'function') found.add(provider as Type);
    for (const provider of providersOf(parts(MODULE_METADATA.IMPORTS), visited)) found.add(provider);
  }
  return found;
}
