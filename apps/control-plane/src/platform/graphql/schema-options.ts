import type { BuildSchemaOptions } from '@nestjs/graphql';

export const SCHEMA_OPTIONS = { numberScalarMode: 'integer' } satisfies BuildSchemaOptions;
