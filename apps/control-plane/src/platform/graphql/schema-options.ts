import type { BuildSchemaOptions } from '@nestjs/graphql';

/** How classes become a schema; the same for the server and for the printed file. */
export const SCHEMA_OPTIONS = { numberScalarMode: 'integer' } satisfies BuildSchemaOptions;
