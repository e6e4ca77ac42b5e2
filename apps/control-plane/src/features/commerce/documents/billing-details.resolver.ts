import { Args, InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import {
  CurrentCaller,
  RequireTenantPermission,
} from '../../../platform/access/require-permission.decorator.js';
import { ChangeRunner } from '../../../platform/changes/change.js';
import {
  conflict,
  notFound,
  type Outcome,
  optionalNote,
  parseInput,
  payloadOf,
  refuse,
  withChanges,
} from '../../../platform/changes/outcome.js';
import { Input, MutationInput, MutationPayload } from '../../../platform/graphql/mutation.graphql.js';
import { field, InputOf, ObjectOf } from '../../../platform/graphql/object-of.js';
import { partyFields, partyText } from '../../../platform/installation/installation.resolver.js';
import { TenantsRepository } from '../../customers/index.js';
import { BillingDetailsRepository } from '../payments/payments.repository.js';

const billingDetailsSetSchema = z.object({
  tenantKey: z.string().meta({ description: 'Key of the tenant.' }),
  expectedVersion: z
    .int()
    .meta({ description: '`version` that the caller has seen; 0 before the first change.' }),
  name: partyText(160, 'Name of the company or person to bill.'),
  ...partyFields,
  email: z
    .union([z.email('Enter an email address'), z.literal('')])
    .nullish()
    .meta({
      graphql: () => String,
      description: 'Email address for billing. Empty: none. Omitted: unchanged.',
    }),
  reason: optionalNote,
});

@InputType({ description: 'Billing details of a tenant.' })
export class BillingDetailsSetInput extends InputOf(billingDetailsSetSchema, MutationInput) {}

@ObjectType({ description: 'Billing details of a tenant, printed on its invoices and receipts.' })
export class BillingDetails extends ObjectOf({
  name: field.string('Name of the company or person to bill; empty: the name of the tenant.'),
  address: field.string('Postal address.'),
  taxId: field.string('Tax ID, such as a VAT number.'),
  email: field.string('Email address for billing.'),
  version: field.int('Increases with every change; 0 before the first.'),
}) {}

@ObjectType({ description: 'Result of changing billing details.' })
export class BillingDetailsPayload extends ObjectOf(MutationPayload, {
  billingDetails: field.of(() => BillingDetails, 'The details after the change.').nullable(),
}) {}

const NONE: BillingDetails = { name: '', address: '', taxId: '', email: '', version: 0 };

@Resolver()
export class BillingDetailsResolver {
  constructor(
    private readonly details: BillingDetailsRepository,
    private readonly tenants: TenantsRepository,
    private readonly changes: ChangeRunner,
  ) {}

  @RequireTenantPermission('purchases:read', 'tenantKey')
  @Query(() => BillingDetails, {
    name: 'billingDetails',
    description: 'Billing details of a tenant; empty before the first change.',
  })
  async get(
    @Args('tenantKey', { description: 'Key of the tenant.' }) tenantKey: string,
  ): Promise<BillingDetails> {
    return (await this.details.find(tenantKey)) ?? NONE;
  }

  @RequireTenantPermission('purchases:write', 'input.tenantKey')
  @Mutation(() => BillingDetailsPayload, {
    name: 'billingDetailsSet',
    description: 'Sets billing details. Issued invoices keep the details of their date.',
  })
  async set(
    @CurrentCaller() caller: Caller,
    @Input() input: BillingDetailsSetInput,
  ): Promise<BillingDetailsPayload> {
    return payloadOf('billingDetails', await this.apply(caller, input));
  }

  /** Errors: INVALID, NOT_FOUND, CONFLICT. */
  private async apply(caller: Caller, input: BillingDetailsSetInput): Promise<Outcome<BillingDetails>> {
    const parsed = parseInput(billingDetailsSetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, expectedVersion, reason, ...given } = parsed.data;
    const tenant = await this.tenants.findByKey(tenantKey);
    if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
    return this.changes.run<BillingDetails>(caller, { reason }, async (change) => {
      await this.tenants.lockByKey(change.tx, tenantKey);
      const found = await this.details.find(tenantKey, change.tx);
      const { version, name, address, taxId, email } = found ?? NONE;
      if (version !== expectedVersion) return refuse([conflict('tenant')], found ?? NONE);
      const before = { name, address, taxId, email };
      const after = withChanges(before, given);
      await change.audit({
        action: 'billingDetails.set',
        entityId: tenant.id,
        entityName: tenant.name,
        tenantKey,
        before,
        after,
      });
      return this.details.save(change.tx, { tenantId: tenant.id, ...after, version: version + 1 });
    });
  }
}
