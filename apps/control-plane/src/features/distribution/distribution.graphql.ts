import { Field, Float, ID, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import { MutationInput, MutationPayload } from '../../platform/graphql/mutation.graphql.js';
import { field, ObjectOf } from '../../platform/graphql/object-of.js';

@ObjectType({ description: 'A revision that a node rejected.' })
export class Nack extends ObjectOf({
  revision: field.int('The rejected revision.'),
  reason: field.string('Reason.'),
}) {}

@ObjectType({ description: 'A process that makes decisions.' })
export class DecisionNode extends ObjectOf({
  nodeId: field.id('Id of the node.'),
  epoch: field.string('Changes at each process start.'),
  version: field.string('Software version.'),
  startedAt: field.dateTime('Start time.'),
  seenAt: field.dateTime('Time of the last report.'),
  revision: field.int('Applied revision; 0: none yet.'),
  applyLatencyMs: field
    .as<number>(
      () => Float,
      'Milliseconds from publication to applying the revision; null if it started with that revision.',
    )
    .nullable(),
  nack: field
    .of(() => Nack, 'Why it rejected the newest revision; null if it applied that revision.')
    .nullable(),
  degraded: field.boolean('Whether it currently decides without Redis.'),
  stale: field.boolean('Whether it has not reported for 15 seconds and is not retired.'),
  firstSeenAt: field.dateTime('Time of the first report.'),
  policyAgeMs: field
    .as<number>(
      () => Float,
      'Milliseconds since the control plane last confirmed that its policy is the newest; null if unknown.',
    )
    .nullable(),
  policyStale: field.boolean('Whether its policy is older than allowed, so that `onStale` applies.'),
  retiredAt: field
    .dateTime('When it stopped cleanly or was retired; null while it is expected to report.')
    .nullable(),
}) {}

@InputType({ description: 'The node to retire.' })
export class NodeRetireInput extends MutationInput {
  @Field(() => ID, { description: 'Id of the node.' })
  nodeId!: string;
}

@ObjectType({ description: 'Result of retiring a node.' })
export class NodeRetirePayload extends ObjectOf(MutationPayload, {
  node: field.of(() => DecisionNode, 'The node after the change.').nullable(),
}) {}

export enum PropagationState {
  PENDING = 'PENDING',
  PUBLISHED = 'PUBLISHED',
  LIVE = 'LIVE',
  REJECTED = 'REJECTED',
}

registerEnumType(PropagationState, {
  name: 'PropagationState',
  description: 'Propagation state of a change.',
  valuesMap: {
    PENDING: { description: 'Committed, not yet published to nodes.' },
    PUBLISHED: { description: 'Published; not acknowledged by every node.' },
    LIVE: { description: 'Acknowledged by every active node.' },
    REJECTED: { description: 'Rejected by at least one node, which keeps its last valid policy.' },
  },
});

@ObjectType({ description: 'A published state of the policy.' })
export class Revision extends ObjectOf({
  number: field.int('Increases with every publication.'),
  publishedAt: field.dateTime('Publication time.'),
  hash: field.string('SHA-256 of the catalogue, hex.'),
}) {}

@ObjectType({ description: 'Propagation of a change to one node.' })
export class NodePropagation extends ObjectOf({
  nodeId: field.id('Id of the node.'),
  live: field.boolean('Whether the node has applied the change.'),
  latencyMs: field
    .as<number>(
      () => Float,
      'Milliseconds from publication to applying the change; null if not applied or if the node has applied a later revision.',
    )
    .nullable(),
  nack: field.of(() => Nack, 'Why the node rejected the change.').nullable(),
}) {}

@ObjectType({ description: 'Propagation of a change to the nodes. Stale nodes are not counted.' })
export class Propagation extends ObjectOf({
  changeId: field.id('Id of the change.'),
  state: field.of(() => PropagationState, 'Overall state.'),
  revision: field.int('Revision that contains it; null until published.').nullable(),
  publishedAt: field.dateTime('Publication time.').nullable(),
  liveNodes: field.int('Nodes that have applied it.'),
  totalNodes: field.int('Active nodes.'),
  slowestMs: field.as<number>(() => Float, 'The highest known latency of a node, milliseconds.').nullable(),
  nodes: field.of(() => NodePropagation, 'Propagation per node.').list(),
}) {}
