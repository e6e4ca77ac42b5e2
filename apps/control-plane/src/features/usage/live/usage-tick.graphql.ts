import { Field, ObjectType } from '@nestjs/graphql';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';

@ObjectType({ description: "A tenant's decisions on one API in one second." })
export class ApiTick {
  @Field({ description: 'Key of the API.' })
  apiKey!: string;

  @Field(() => SafeInt, { description: 'Requests that passed.' })
  allowed!: number;

  @Field(() => SafeInt, { description: 'Requests that were refused.' })
  refused!: number;
}

@ObjectType({ description: "A tenant's decisions in one second, as nodes tell of them." })
export class UsageTick {
  @Field(() => DateTime, { description: 'End of the second.' })
  at!: Date;

  @Field(() => SafeInt, { description: 'Requests that passed.' })
  allowed!: number;

  @Field(() => SafeInt, { description: 'Requests that were refused.' })
  refused!: number;

  @Field(() => [ApiTick], { description: 'API by API; those without requests are left out.' })
  apis!: ApiTick[];
}
