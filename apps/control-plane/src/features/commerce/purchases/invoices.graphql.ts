import { ArgsType, Field, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import { connectionOf, PageArgs } from '../../../platform/graphql/connection.js';
import { MutationInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { Node } from '../../../platform/graphql/node.js';
import { DateTime, SafeInt } from '../../../platform/graphql/scalars.js';
import { InvoiceStatus } from '../../../platform/prisma/schema.js';
import { Purchase } from './purchases.graphql.js';

@ObjectType({ implements: () => [Node], description: 'What a tenant is asked to pay by bank transfer.' })
export class Invoice extends Node {
  @Field(() => Int, { description: 'Number; there are no gaps.' })
  number!: number;

  @Field(() => ID, { description: 'Id of the purchase.' })
  purchaseId!: string;

  @Field(() => Purchase, { description: 'What it is for.' })
  purchase!: Purchase;

  @Field(() => Int, { description: '0 for the order, 1 for its first renewal, and so on.' })
  period!: number;

  @Field(() => InvoiceStatus, { description: 'How it stands.' })
  status!: InvoiceStatus;

  @Field(() => SafeInt, { description: 'What is to be paid, in the smallest unit of the currency.' })
  amountMinor!: bigint;

  @Field({ description: 'ISO 4217 code of the currency.' })
  currency!: string;

  @Field(() => DateTime, { description: 'When it went out, in billing time.' })
  issuedAt!: Date;

  @Field(() => DateTime, { description: 'By when it is to be paid, in billing time.' })
  dueAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it was paid or made void; null: it is open.' })
  settledAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'What the bank statement says; null: nobody noted it.',
  })
  reference!: string | null;
}

export const InvoiceConnection = connectionOf(Invoice, 'Invoice', 'invoices');

@ArgsType()
export class InvoicesArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    description: 'Only of the tenant of this key; operators may leave it out.',
  })
  tenantKey?: string | null;

  @Field(() => InvoiceStatus, { nullable: true, description: 'Only those that stand so.' })
  status?: InvoiceStatus | null;
}

@InputType({ description: 'Which invoice is not to be paid any more.' })
export class InvoiceVoidInput extends MutationInput {
  @Field(() => Int, { description: 'Number of the invoice.' })
  number!: number;
}

@InputType({ description: 'Which invoice was paid.' })
export class InvoiceMarkPaidInput extends InvoiceVoidInput {
  @Field(() => String, { nullable: true, description: 'What the bank statement says.' })
  reference?: string | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'What has come, where that is not the sum of the invoice.',
  })
  receivedMinor?: number | null;
}

@ObjectType({ description: 'Outcome of a change to an invoice.' })
export class InvoicePayload extends PublishedPayload {
  @Field(() => Invoice, {
    nullable: true,
    description: 'The invoice after the change; as it is, when it is not open.',
  })
  invoice!: Invoice | null;
}
