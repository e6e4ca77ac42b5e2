import { Float, InputType, ObjectType } from '@nestjs/graphql';
import * as z from 'zod';
import { optionalNote } from '../../../platform/changes/outcome.js';
import { Node } from '../../../platform/graphql/connection.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import {
  enumOf,
  field,
  InputOf,
  idField,
  ObjectOf,
  registerEnum,
} from '../../../platform/graphql/object-of.js';
import { kindOfId } from '../../../platform/ids.js';
import { PublicationGuardState } from '../../../platform/prisma/schema.js';
import type { Obstacle } from './guard.rules.js';

registerEnum(PublicationGuardState, 'PublicationGuardState', 'State of the guard of a publication.', {
  WATCHING: 'It compares denials and may revert the publication.',
  PASSED: 'Denials did not rise above the maximum.',
  REVERTED: 'Denials rose above the maximum; the publication was reverted.',
  UNDECIDED: 'It ended without a decision; the version is still published.',
  CANCELED: 'An operator ended it.',
  SUPERSEDED: 'A newer version was published.',
});

export const GuardObstacle = enumOf<Obstacle | 'REVERT_REFUSED'>(
  'GuardObstacle',
  'Why a guard has not decided. It never decides on missing data.',
  {
    NOT_PUBLISHED: 'The version has not been published to nodes.',
    NODES_NOT_ACKNOWLEDGED: 'A node does not use the version.',
    NODES_SILENT: 'A node stopped reporting, so its usage may be missing.',
    USAGE_DELAYED: 'Usage of the compared time is not counted yet.',
    USAGE_MISSING: 'Usage frames are missing.',
    REDIS_UNAVAILABLE: 'Too many decisions were made without Redis.',
    TOO_FEW_DECISIONS: 'There are fewer comparable decisions than required.',
    TOO_FEW_PINNED: 'Tenants pinned by the rollout have fewer comparable decisions than required.',
    REVERT_REFUSED: 'Denials rose above the maximum, but the revert was rejected.',
  },
);

const percent = (description: string) => field.as<number>(() => Float, description);

@ObjectType({ description: 'Tenants before and after a publication, each compared with its own baseline.' })
export class GuardComparison extends ObjectOf({
  tenants: field.int('Tenants with decisions before and after.'),
  decisions: field.safeInt('Comparable decisions: of each tenant, the smaller number of before and after.'),
  before: percent('Denied percent before.'),
  after: percent('Denied percent after.'),
  rise: percent('Difference in percentage points.'),
}) {}

@ObjectType({ description: 'Denials of one tenant before and after a publication.' })
export class GuardTenant extends ObjectOf({
  tenantKey: field.string('Key of the tenant.'),
  decisions: field.safeInt('Decisions after the publication.'),
  before: percent('Denied percent before.'),
  after: percent('Denied percent after.'),
}) {}

@ObjectType('GuardFigures', {
  description: 'Comparison of denials before and after a publication.',
})
export class GuardFiguresType extends ObjectOf({
  from: field.string('Start of the compared time.'),
  to: field.string('End of the compared time.'),
  baselineFrom: field.string('Start of the baseline.'),
  baselineTo: field.string('End of the baseline.'),
  affected: field.of(() => GuardComparison, 'Tenants on the version.'),
  pinned: field
    .of(() => GuardComparison, 'Tenants that the rollout keeps on an earlier version; null without any.')
    .nullable(),
  excess: percent('Rise of the affected tenants beyond that of the pinned ones, percentage points.'),
  worst: field.of(() => GuardTenant, 'Tenants that contribute most to the rise.').list(),
}) {}

@ObjectType({
  implements: () => [Node],
  description: 'Watches denials after a publication and reverts it if they rise too much.',
})
export class PublicationGuard extends ObjectOf(Node, {
  tierKey: field.string('Key of the tier.'),
  versionNumber: field.int('The published version.'),
  changeId: field.id('The change that published it.'),
  state: field.of(() => PublicationGuardState, 'State.'),
  maxDenialRise: percent('Allowed rise of the denied share, percentage points.'),
  minDecisions: field.int('Comparable decisions that a decision requires.'),
  withinMinutes: field.int('Length, minutes.'),
  publishedAt: field.dateTime('When it started.'),
  endsAt: field.dateTime('When it ends at the latest, except for late usage.'),
  activeFrom: field.dateTime('When all nodes used the version; null before.').nullable(),
  obstacle: field.of(() => GuardObstacle, 'Why it has not decided; null if it has.').nullable(),
  message: field.string('The obstacle in words; null without one.').nullable(),
  figures: field
    .of(() => GuardFiguresType, 'The last comparison; null before the first whole minute.')
    .nullable(),
  checkedAt: field.dateTime('The last check; null before the first.').nullable(),
  endedAt: field.dateTime('When it ended; null while it watches.').nullable(),
  endedBy: field.string('Who canceled it.').nullable(),
  revertedBy: field.id('The change that reverted the publication.').nullable(),
}) {}

export const guardCancelSchema = z.object({
  id: idField('The guard.').refine((id) => kindOfId(id) === 'publicationGuard', 'Not the id of a guard'),
  reason: optionalNote,
});

@InputType({ description: 'The guard to cancel.' })
export class PublicationGuardCancelInput extends InputOf(guardCancelSchema, MutationInput) {}

@ObjectType({ description: 'Outcome of canceling a guard.' })
export class PublicationGuardPayload extends ObjectOf(MutationPayload, {
  guard: field.of(() => PublicationGuard, 'The guard.').nullable(),
}) {}
