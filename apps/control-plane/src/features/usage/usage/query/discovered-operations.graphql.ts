import { ArgsType, Field, Int, ObjectType } from '@nestjs/graphql';
import { DateTime } from '../../../../platform/graphql/scalars.js';
import { UsageCount } from './usage.graphql.js';

@ObjectType({ description: 'An operation that was asked for lately and that nothing limits.' })
export class DiscoveredOperation extends UsageCount {
  @Field({ description: 'The API that requests name.' })
  apiKey!: string;

  @Field({ description: 'Whether there is such an API.' })
  apiKnown!: boolean;

  @Field({ description: 'The operation that requests name.' })
  operation!: string;

  @Field({ description: 'Whether the API has it: then no limit applied to these requests.' })
  known!: boolean;

  @Field(() => Int, { description: 'How many tenants asked for it.' })
  tenants!: number;

  @Field(() => DateTime, { description: 'The last hour in which it was asked for.' })
  lastHour!: Date;
}

@ArgsType()
export class DiscoveredOperationsArgs {
  @Field(() => String, { nullable: true, description: 'Only of this API.' })
  apiKey?: string | null;

  @Field(() => Int, { nullable: true, defaultValue: 50, description: 'How many, 1 to 100.' })
  first?: number | null;
}
