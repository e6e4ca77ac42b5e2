import type { BuildSchemaOptions } from '@nestjs/graphql';

/** Options for building the schema, shared by the server and the printed file. */
export const SCHEMA_OPTIONS = { numberScalarMode: 'integer' } satisfies BuildSchemaOptions;
