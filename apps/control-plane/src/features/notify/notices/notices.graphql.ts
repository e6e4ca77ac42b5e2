import { Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import * as z from 'zod';
import { connectionOf } from '../../../platform/graphql/connection.js';
import { InputOf, idField } from '../../../platform/graphql/input-of.js';
import { MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, Json } from '../../../platform/graphql/scalars.js';

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
export class Notice extends Node {
  @Field({
    description: 'Kind of the event, such as `purchase.paid`; also the type of the webhook event.',
  })
  kind!: string;

  @Field(() => NoticeSeverity, { description: 'Severity.' })
  severity!: NoticeSeverity;

  @Field({ description: 'The notice in one line.' })
  title!: string;

  @Field(() => [String], { description: 'Details, one line each.' })
  details!: string[];

  @Field(() => String, { nullable: true, description: 'Key of the tenant; null for notices to operators.' })
  tenantKey!: string | null;

  @Field(() => Json, { description: 'Details, as in the webhook event.' })
  data!: unknown;

  @Field(() => DateTime, { description: 'When the event happened.' })
  createdAt!: Date;
}

export const NoticeConnection = connectionOf(Notice, 'Notice', 'notices');

const markReadSchema = z.object({
  tenantKey: z.string().nullish().describe('Key of the tenant; all notices by default.'),
  upTo: idField('The newest notice read; older notices are marked as read too.'),
});

@InputType({ description: 'Notices to mark as read.' })
export class NoticesMarkReadInput extends InputOf(markReadSchema, MutationInput) {}

@ObjectType({ description: 'Outcome of marking notices as read.' })
export class NoticesMarkReadPayload extends MutationPayload {
  @Field(() => Int, { description: 'Number of unread notices, at most 100.' })
  unread!: number;
}
