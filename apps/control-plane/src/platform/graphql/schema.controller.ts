import { Controller, Get, Header } from '@nestjs/common';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import type { GraphQLSchema } from 'graphql';
import { RequireSignIn } from '../access/require-permission.decorator.js';
import { lexicographicSortSchema, printSchema } from './graphql-js.js';

/** The schema definition language of a schema, in an order that does not depend on the code. */
export function sdlOf(schema: GraphQLSchema): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`;
}

/** Serves the schema, also to callers who may not introspect it. */
@Controller()
export class SchemaController {
  private sdl: string | undefined;

  constructor(private readonly schemaHost: GraphQLSchemaHost) {}

  @RequireSignIn()
  @Get('schema.graphql')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  @Header('Cache-Control', 'no-store')
  get(): string {
    this.sdl ??= sdlOf(this.schemaHost.schema);
    return this.sdl;
  }
}
