import { Field, InputType, Int, ObjectType } from '@nestjs/graphql';
import { ManagedInput } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';

@ObjectType({ description: "How a pool's last second looks, over all nodes." })
export class PoolLive {
  @Field(() => Int, { description: 'Units a second, corrected downward by what services report.' })
  capacity!: number;

  @Field(() => Int, { description: 'Units that tenants used within their own limits.' })
  admitted!: number;

  @Field(() => Int, { description: 'Units that were lent to tenants past their limits.' })
  borrowed!: number;

  @Field(() => Int, { description: 'Units that could still be lent.' })
  spare!: number;

  @Field(() => Int, { description: 'Tenants that were lent some.' })
  borrowers!: number;

  @Field(() => Int, { description: 'Nodes that see its traffic.' })
  nodes!: number;
}

@ObjectType({
  implements: () => [Node],
  description: "Capacity that an API's tenants share. An operation draws on the oldest pool that has it.",
})
export class Pool extends Node {
  @Field({ description: 'Permanent name, unique within its API; elastic limits name it.' })
  name!: string;

  @Field(() => [String], { description: 'Operations that draw on it; empty: every operation of the API.' })
  operations!: string[];

  @Field(() => Int, { description: 'Units a second, measured over a sliding second.' })
  capacity!: number;

  @Field(() => Int, {
    description: 'What is left below this part of the capacity, percent, is spare and may be borrowed.',
  })
  reclaimPercent!: number;

  @Field(() => PoolLive, {
    nullable: true,
    description: 'What is drawn on it now; null when the counters cannot be asked.',
  })
  live?: PoolLive | null;
}

/** Which pool a change is to, and the API as its caller has seen it. */
@InputType({ isAbstract: true })
abstract class PoolChangeInput extends ManagedInput {
  @Field({ description: 'Key of its API.' })
  apiKey!: string;

  @Field({ description: 'Permanent name: a–z, 0–9 and inner hyphens, at most 48 characters.' })
  name!: string;

  @Field(() => Int, { description: 'Version of the API that the caller has seen.' })
  expectedVersion!: number;
}

@InputType({ description: 'A new pool of an API.' })
export class PoolCreateInput extends PoolChangeInput {
  @Field(() => [String], {
    defaultValue: [],
    description: 'Operations that draw on it; empty: every operation of the API.',
  })
  operations!: string[];

  @Field(() => Int, { description: 'Units a second, 1 to 1000000000.' })
  capacity!: number;

  @Field(() => Int, {
    nullable: true,
    defaultValue: 80,
    description: 'What is left below this part of the capacity, percent, may be borrowed.',
  })
  reclaimPercent?: number | null;
}

@InputType({ description: 'A change of a pool; what is left out stays as it is.' })
export class PoolUpdateInput extends PoolChangeInput {
  @Field(() => [String], { nullable: true, description: 'Operations that draw on it; empty: every one.' })
  operations?: string[] | null;

  @Field(() => Int, { nullable: true, description: 'Units a second, 1 to 1000000000.' })
  capacity?: number | null;

  @Field(() => Int, { nullable: true, description: 'Percent, 1 to 100.' })
  reclaimPercent?: number | null;
}

@InputType({ description: 'Which pool to remove.' })
export class PoolDeleteInput extends PoolChangeInput {}
