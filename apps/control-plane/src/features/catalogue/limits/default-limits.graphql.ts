import { Field, InputType, Int } from '@nestjs/graphql';
import { ManagedInput } from '../../../platform/graphql/mutation.graphql.js';
import { CarryOver } from '../../../platform/prisma/schema.js';
import { DefaultLimitInput } from './limit.inputs.js';

@InputType({ description: 'All default limits of an API: what is left out is removed.' })
export class ApiDefaultLimitsSetInput extends ManagedInput {
  @Field({ description: 'Key of the API.' })
  apiKey!: string;

  @Field(() => Int, { description: 'Version of the API that the caller has seen.' })
  expectedVersion!: number;

  @Field(() => [DefaultLimitInput], { description: 'The limits, in order.' })
  limits!: DefaultLimitInput[];

  @Field(() => CarryOver, {
    nullable: true,
    defaultValue: CarryOver.KEEP,
    description: 'What becomes of what tenants have used under the versions in force.',
  })
  carryOver?: CarryOver | null;
}
