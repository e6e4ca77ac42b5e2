import { Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
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

export enum PropagationState {
  PENDING = 'PENDING',
  PUBLISHED = 'PUBLISHED',
  LIVE = 'LIVE',
  REFUSED = 'REFUSED',
}

registerEnumType(PropagationState, {
  name: 'PropagationState',
  description: 'How far a change has travelled.',
  valuesMap: {
    PENDING: { description: 'Committed, not yet published to nodes.' },
    PUBLISHED: { description: 'Published; not every node runs it yet.' },
    LIVE: { description: 'Every node that is up runs it.' },
    REFUSED: { description: 'At least one node refused it and keeps the last good policy.' },
  },
});

@ObjectType({ description: 'One published state of the policy.' })
export class Revision {
  @Field(() => Int, { description: 'Grows with every publication.' })
  number!: number;

  @Field(() => DateTime, { description: 'When it was published.' })
  publishedAt!: Date;

  @Field({ description: 'SHA-256 of the catalogue, hex.' })
  hash!: string;
}

@ObjectType({ description: 'A change on one node.' })
export class NodePropagation {
  @Field(() => ID, { description: 'What the node calls itself.' })
  nodeId!: string;

  @Field({ description: 'Whether the node runs the change.' })
  live!: boolean;

  @Field(() => Float, {
    nullable: true,
    description:
      'Milliseconds from publication to enforcement; null when not live or the node has moved on since.',
  })
  latencyMs!: number | null;

  @Field(() => Nack, { nullable: true, description: 'Why the node refused the change.' })
  nack!: Nack | null;
}

@ObjectType({ description: 'How far a change has travelled. Nodes that do not report are not counted.' })
export class Propagation {
  @Field(() => ID, { description: 'The change.' })
  changeId!: string;

  @Field(() => PropagationState, { description: 'The whole in one word.' })
  state!: PropagationState;

  @Field(() => Int, { nullable: true, description: 'Revision that carries it; null until published.' })
  revision!: number | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was published.' })
  publishedAt!: Date | null;

  @Field(() => Int, { description: 'Nodes that run it.' })
  liveNodes!: number;

  @Field(() => Int, { description: 'Nodes that are up.' })
  totalNodes!: number;

  @Field(() => Float, { nullable: true, description: 'The longest known latency of a node, milliseconds.' })
  slowestMs!: number | null;

  @Field(() => [NodePropagation], { description: 'Node by node.' })
  nodes!: NodePropagation[];
}
