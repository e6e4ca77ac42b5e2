import { InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import * as z from 'zod';
import { connectionOf } from '../../../platform/graphql/connection.js';
import { InputOf, idField } from '../../../platform/graphql/input-of.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';
import { Json } from '../../../platform/graphql/scalars.js';

export enum NoticeSeverity {
  INFO = 'INFO',
  WARNING = 'WARNING',
  CRITICAL = 'CRITICAL',
}

registerEnumType(NoticeSeverity, {
  name: 'NoticeSeverity',
  description: 'Severity of a notice.',
  valuesMap: {
    INFO: { description: 'For information.' },
    WARNING: { description: 'Action will be required.' },
    CRITICAL: { description: 'Action is required now.' },
  },
});

@ObjectType({ implements: () => [Node], description: 'A notification about an event.' })
export class Notice extends ObjectOf(Node, {
  kind: field.string('Kind of the event, such as `purchase.paid`; also the type of the webhook event.'),
  severity: field.of(() => NoticeSeverity, 'Severity.'),
  title: field.string('The notice in one line.'),
  details: field.string('Details, one line each.').list(),
  tenantKey: field.string('Key of the tenant; null for notices to operators.').nullable(),
  data: field.as<unknown>(() => Json, 'Details, as in the webhook event.'),
  createdAt: field.dateTime('When the event happened.'),
}) {}

export const NoticeConnection = connectionOf(Notice, 'Notice', 'notices');

const markReadSchema = z.object({
  tenantKey: z.string().nullish().describe('Key of the tenant; all notices by default.'),
  upTo: idField('The newest notice read; older notices are marked as read too.'),
});

@InputType({ description: 'Notices to mark as read.' })
export class NoticesMarkReadInput extends InputOf(markReadSchema, MutationInput) {}

@ObjectType({ description: 'Outcome of marking notices as read.' })
export class NoticesMarkReadPayload extends ObjectOf(MutationPayload, {
  unread: field.int('Number of unread notices, at most 100.'),
}) {}
