import { Field, Float, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { DateTime } from '../../platform/graphql/scalars.js';
import { Nack } from './nodes.graphql.js';

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
