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
  description: 'How much a notice matters.',
  valuesMap: {
    INFO: { description: 'Good to know.' },
    WARNING: { description: 'Something will have to be done.' },
    CRITICAL: { description: 'Something has to be done now.' },
  },
});

@ObjectType({ implements: () => [Node], description: 'Something that people are told.' })
export class Notice extends Node {
  @Field({
    description: 'What kind of thing happened, such as `purchase.paid`; the type of the outgoing event.',
  })
  kind!: string;

  @Field(() => NoticeSeverity, { description: 'How much it matters.' })
  severity!: NoticeSeverity;

  @Field({ description: 'What happened, in one line.' })
  title!: string;

  @Field(() => [String], { description: 'The particulars, a line each.' })
  details!: string[];

  @Field(() => String, { nullable: true, description: 'Key of the tenant; null: it is for operators.' })
  tenantKey!: string | null;

  @Field(() => Json, { description: 'The particulars, as the outgoing event has them.' })
  data!: unknown;

  @Field(() => DateTime, { description: 'When it happened.' })
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
  @Field(() => Int, { description: 'How many are unread now, 100 at most.' })
  unread!: number;
}
