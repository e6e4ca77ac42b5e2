import { Args, Context, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequirePermissionInSomeTenant,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { payloadOf } from '../../../platform/changes/outcome.js';
import { type Connection, cursorCodec, readPage } from '../../../platform/graphql/connection.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { Input } from '../../../platform/graphql/mutation.graphql.js';
import { type InvoiceRow, InvoicesRepository } from '../payments/invoices.repository.js';
import { InvoicesService } from './invoices.service.js';
import { InvoiceMarkPaidInput, InvoicesArgs, InvoiceVoidInput } from './purchase-inputs.js';
import { Invoice, InvoiceConnection, InvoicePayload } from './purchases.graphql.js';
import { PurchaseDetails } from './purchases.resolver.js';

const cursors = cursorCodec('invoices', z.int());

@Resolver(() => Invoice)
export class InvoicesResolver {
  constructor(
    private readonly service: InvoicesService,
    private readonly invoices: InvoicesRepository,
    private readonly details: PurchaseDetails,
  ) {}

  @RequireTenantPermission('purchases:read', 'tenantKey')
  @Query(() => InvoiceConnection, { name: 'invoices', description: 'Invoices, newest first.' })
  list(@Args() args: InvoicesArgs): Promise<Connection<InvoiceRow>> {
    const filter = { tenantKey: args.tenantKey ?? undefined, status: args.status ?? undefined };
    return readPage(args, cursors, ({ number }) => number, this.invoices, filter);
  }

  @RequirePermissionInSomeTenant('payments:write')
  @Mutation(() => InvoicePayload, {
    name: 'invoiceMarkPaid',
    description: 'Marks an open invoice as paid.',
  })
  async markPaid(@Input() input: InvoiceMarkPaidInput, @CurrentCaller() caller: Caller) {
    return payloadOf('invoice', await this.service.markPaid(caller, input));
  }

  @RequirePermissionInSomeTenant('payments:write')
  @Mutation(() => InvoicePayload, {
    name: 'invoiceVoid',
    description: 'Voids an open invoice. Its number is not reused.',
  })
  async void(@Input() input: InvoiceVoidInput, @CurrentCaller() caller: Caller) {
    return payloadOf('invoice', await this.service.void(caller, input));
  }

  @ResolveField()
  purchase(@Parent() { purchaseId }: InvoiceRow, @Context() context: GraphqlContext) {
    return this.details.purchase(context, purchaseId);
  }
}
