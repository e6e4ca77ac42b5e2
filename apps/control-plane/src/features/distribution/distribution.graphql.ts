import { Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { MutationInput, MutationPayload } from '../../platform/graphql/mutation.graphql.js';
import { DateTime } from '../../platform/graphql/scalars.js';

@ObjectType({ description: 'A revision that a node rejected.' })
export class Nack {
  @Field(() => Int, { description: 'The rejected revision.' })
  revision!: number;

  @Field({ description: 'Reason.' })
  reason!: string;
}

@ObjectType({ description: 'A process that makes decisions.' })
export class DecisionNode {
  @Field(() => ID, { description: 'Id of the node.' })
  nodeId!: string;

  @Field({ description: 'Changes at each process start.' })
  epoch!: string;

  @Field({ description: 'Software version.' })
  version!: string;

  @Field(() => DateTime, { description: 'Start time.' })
  startedAt!: Date;

  @Field(() => DateTime, { description: 'Time of the last report.' })
  seenAt!: Date;

  @Field(() => Int, { description: 'Applied revision; 0: none yet.' })
  revision!: number;

  @Field(() => Float, {
    nullable: true,
    description:
      'Milliseconds from publication to applying the revision; null if it started with that revision.',
  })
  applyLatencyMs!: number | null;

  @Field(() => Nack, {
    nullable: true,
    description: 'Why it rejected the newest revision; null if it applied that revision.',
  })
  nack!: Nack | null;

  @Field({ description: 'Whether it currently decides without Redis.' })
  degraded!: boolean;

  @Field({ description: 'Whether it has not reported for 15 seconds and is not retired.' })
  stale!: boolean;

  @Field(() => DateTime, { description: 'Time of the first report.' })
  firstSeenAt!: Date;

  @Field(() => Float, {
    nullable: true,
    description:
      'Milliseconds since the control plane last confirmed that its policy is the newest; null if unknown.',
  })
  policyAgeMs!: number | null;

  @Field({ description: 'Whether its policy is older than allowed, so that `onStale` applies.' })
  policyStale!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it stopped cleanly or was retired; null while it is expected to report.',
  })
  retiredAt!: Date | null;
}

@InputType({ description: 'The node to retire.' })
export class NodeRetireInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the node.' })
  nodeId!: string;
}

@ObjectType({ description: 'Result of retiring a node.' })
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
  description: 'Propagation state of a change.',
  valuesMap: {
    PENDING: { description: 'Committed, not yet published to nodes.' },
    PUBLISHED: { description: 'Published; not acknowledged by every node.' },
    LIVE: { description: 'Acknowledged by every active node.' },
    REFUSED: { description: 'Rejected by at least one node, which keeps its last valid policy.' },
  },
});

@ObjectType({ description: 'A published state of the policy.' })
export class Revision {
  @Field(() => Int, { description: 'Increases with every publication.' })
  number!: number;

  @Field(() => DateTime, { description: 'Publication time.' })
  publishedAt!: Date;

  @Field({ description: 'SHA-256 of the catalogue, hex.' })
  hash!: string;
}

@ObjectType({ description: 'Propagation of a change to one node.' })
export class NodePropagation {
  @Field(() => ID, { description: 'Id of the node.' })
  nodeId!: string;

  @Field({ description: 'Whether the node has applied the change.' })
  live!: boolean;

  @Field(() => Float, {
    nullable: true,
    description:
      'Milliseconds from publication to applying the change; null if not applied or if the node has applied a later revision.',
  })
  latencyMs!: number | null;

  @Field(() => Nack, { nullable: true, description: 'Why the node rejected the change.' })
  nack!: Nack | null;
}

@ObjectType({ description: 'Propagation of a change to the nodes. Stale nodes are not counted.' })
export class Propagation {
  @Field(() => ID, { description: 'Id of the change.' })
  changeId!: string;

  @Field(() => PropagationState, { description: 'Overall state.' })
  state!: PropagationState;

  @Field(() => Int, { nullable: true, description: 'Revision that contains it; null until published.' })
  revision!: number | null;

  @Field(() => DateTime, { nullable: true, description: 'Publication time.' })
  publishedAt!: Date | null;

  @Field(() => Int, { description: 'Nodes that have applied it.' })
  liveNodes!: number;

  @Field(() => Int, { description: 'Active nodes.' })
  totalNodes!: number;

  @Field(() => Float, { nullable: true, description: 'The highest known latency of a node, milliseconds.' })
  slowestMs!: number | null;

  @Field(() => [NodePropagation], { description: 'Propagation per node.' })
  nodes!: NodePropagation[];
}
