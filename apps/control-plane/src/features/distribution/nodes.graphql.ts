import { Field, Float, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import { MutationInput, MutationPayload } from '../../platform/graphql/mutation.graphql.js';
import { DateTime } from '../../platform/graphql/scalars.js';

@ObjectType({ description: 'A refusal of a revision by a node.' })
export class Nack {
  @Field(() => Int, { description: 'The revision that was refused.' })
  revision!: number;

  @Field({ description: 'Why.' })
  reason!: string;
}

@ObjectType({ description: 'One process that decides.' })
export class DecisionNode {
  @Field(() => ID, { description: 'What the node calls itself.' })
  nodeId!: string;

  @Field({ description: 'Started anew at each process start.' })
  epoch!: string;

  @Field({ description: 'Version of the software that it runs.' })
  version!: string;

  @Field(() => DateTime, { description: 'When it started.' })
  startedAt!: Date;

  @Field(() => DateTime, { description: 'When it last reported.' })
  seenAt!: Date;

  @Field(() => Int, { description: 'Revision in force; 0: none yet.' })
  revision!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Milliseconds from publication to enforcement; null when it started with that revision.',
  })
  applyLatencyMs!: number | null;

  @Field(() => Nack, {
    nullable: true,
    description: 'Why it refused the newest revision; null when that is in force.',
  })
  nack!: Nack | null;

  @Field({ description: 'Whether it decides without Redis just now.' })
  degraded!: boolean;

  @Field({ description: 'Whether it has not reported for 15 seconds, and is not retired.' })
  stale!: boolean;

  @Field(() => DateTime, { description: 'When it was first heard of.' })
  firstSeenAt!: Date;

  @Field(() => Float, {
    nullable: true,
    description:
      'Milliseconds since the control plane last told it that its policy is the newest; null while that is not known.',
  })
  policyAgeMs!: number | null;

  @Field({ description: 'Whether its policy is older than it allows, so that its `onStale` applies.' })
  policyStale!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it stopped in order or was retired; null while it is expected to report.',
  })
  retiredAt!: Date | null;
}

@InputType({ description: 'A node that will not come back.' })
export class NodeRetireInput extends MutationInput {
  @Field(() => ID, { description: 'What the node calls itself.' })
  nodeId!: string;
}

@ObjectType({ description: 'Outcome of retiring a node.' })
export class NodeRetirePayload extends MutationPayload {
  @Field(() => DecisionNode, { nullable: true, description: 'The node after the change.' })
  node!: DecisionNode | null;
}
