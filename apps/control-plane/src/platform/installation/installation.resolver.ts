import { Controller, Get, Module, NotFoundException, Res } from '@nestjs/common';
import { InputType, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { findAccentProblem } from '@tollgate/contracts/brand';
import type { FastifyReply } from 'fastify';
import * as z from 'zod';
import type { Caller } from '../access/actor.js';
import { Anonymous, CurrentCaller, RequirePermission } from '../access/require-permission.decorator.js';
import { ChangeRunner } from '../changes/change.js';
import {
  conflict,
  invalid,
  type Outcome,
  optionalNote,
  parseInput,
  payloadOf,
  printedName,
  refuse,
  text,
  withChanges,
} from '../changes/outcome.js';
import { Input, MutationInput, MutationPayload } from '../graphql/mutation.graphql.js';
import { field, InputOf, ObjectOf } from '../graphql/object-of.js';
import { refinePrintable } from '../printable/printable.js';
import { Database } from '../prisma/database.js';
import { brandOf, Installation, type InstallationRow } from './installation.js';
import { cleanLogo, MAX_LOGO_BYTES } from './logo.js';

const CONTROL_EXCEPT_NEWLINE = /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

export const partyText = (maxLength: number, description: string) =>
  text(maxLength, CONTROL_EXCEPT_NEWLINE)
    .superRefine(refinePrintable)
    .nullish()
    .meta({ description: `${description} Empty: none. Omitted: unchanged.` });

/** Details of a company or person on invoices. */
export const partyFields = {
  address: partyText(300, 'Postal address, with line breaks.'),
  taxId: partyText(40, 'Tax ID, such as a VAT number.'),
};

const MAX_ORIGINS = 20;

const origin = z
  .string()
  .max(200)
  .refine(isOrigin, 'Enter an origin such as https://dashboard.example.com, without a path');

function isOrigin(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && ['https:', 'http:'].includes(url.protocol) && url.origin === value;
}

export const installationUpdateSchema = z.object({
  expectedVersion: z.int().meta({ description: '`version` that the caller has seen.' }),
  productName: printedName.nullish().meta({ description: 'Name of the product. Omitted: unchanged.' }),
  accent: z
    .string()
    .superRefine((value, context) => {
      const problem = value === '' ? undefined : findAccentProblem(value);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    })
    .nullish()
    .meta({
      description: 'Accent color `#rrggbb` with WCAG AA contrast. Empty: default. Omitted: unchanged.',
    }),
  logo: z
    .base64('The logo must be base64')
    .max(Math.ceil(MAX_LOGO_BYTES / 3) * 4, 'The logo must have at most 32 KB.')
    .nullish()
    .meta({
      description: 'PNG as base64: at most 32 KB and 512 × 512 pixels. Empty: none. Omitted: unchanged.',
    }),
  companyName: partyText(160, 'Legal name of the company.'),
  ...partyFields,
  registration: partyText(120, 'Entry in the commercial register.'),
  contact: partyText(160, 'Email address, telephone or website.'),
  invoiceNote: partyText(500, 'Note below the totals of invoices and receipts.'),
  taxLabel: partyText(30, 'Name of the tax that prices include, such as VAT.'),
  taxBasisPoints: z.int().min(0, 'At least 0').max(5000, 'At most 5000').nullish().meta({
    description: 'Tax that prices include, in hundredths of a percent; 0: no tax line. Omitted: unchanged.',
  }),
  embedOrigins: z
    .array(origin)
    .max(MAX_ORIGINS, `At most ${MAX_ORIGINS} origins`)
    .nullish()
    .meta({ description: 'Origins whose pages may embed the usage widget. Omitted: unchanged.' }),
  reason: optionalNote,
});

@InputType({ description: 'Changes of company and brand.' })
export class InstallationUpdateInput extends InputOf(installationUpdateSchema, MutationInput) {}

@ObjectType({ description: 'Company and brand of this installation.' })
export class InstallationSettings extends ObjectOf({
  productName: field.string('Name of the product on the portal, in mails and on invoices.'),
  accent: field.string('Accent color `#rrggbb`; null: default.').nullable(),
  logo: field.string('Path of the logo; null without one.').nullable(),
  companyName: field.string('Legal name of the company; empty without one.'),
  address: field.string('Postal address.'),
  taxId: field.string('Tax ID.'),
  registration: field.string('Entry in the commercial register.'),
  contact: field.string('Email address, telephone or website.'),
  invoiceNote: field.string('Note below the totals of invoices and receipts.'),
  taxLabel: field.string('Name of the tax that prices include.'),
  taxBasisPoints: field.int('Tax that prices include, in hundredths of a percent; 0: no tax line.'),
  embedOrigins: field.string('Origins whose pages may embed the usage widget.').list(),
  version: field.int('Increases with every change; pass it as `expectedVersion`.'),
}) {}

@ObjectType({ description: 'Result of changing company and brand.' })
export class InstallationPayload extends ObjectOf(MutationPayload, {
  installation: field.of(() => InstallationSettings, 'The settings after the change.').nullable(),
}) {}

const toSettings = (row: InstallationRow): InstallationSettings => ({ ...row, ...brandOf(row) });

@Resolver()
class InstallationSettingsResolver {
  constructor(
    private readonly database: Database,
    private readonly changes: ChangeRunner,
    private readonly installation: Installation,
  ) {}

  @RequirePermission('installation:read')
  @Query(() => InstallationSettings, {
    name: 'installationSettings',
    description: 'Company and brand of this installation.',
  })
  async get(): Promise<InstallationSettings> {
    const where = { id: 1 };
    return toSettings(await this.database.client.installation.findUniqueOrThrow({ where }));
  }

  @RequirePermission('installation:write')
  @Mutation(() => InstallationPayload, {
    name: 'installationUpdate',
    description: 'Changes company and brand.',
  })
  async update(
    @CurrentCaller() caller: Caller,
    @Input() input: InstallationUpdateInput,
  ): Promise<InstallationPayload> {
    const outcome = await this.apply(caller, input);
    if (outcome.ok) await this.installation.refresh();
    return payloadOf('installation', outcome);
  }

  /** Errors: INVALID, CONFLICT. */
  private async apply(
    caller: Caller,
    input: InstallationUpdateInput,
  ): Promise<Outcome<InstallationSettings>> {
    const parsed = parseInput(installationUpdateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { expectedVersion, reason, logo: picture, accent, ...given } = parsed.data;
    let logo: Buffer | null = null;
    try {
      if (picture) logo = cleanLogo(Buffer.from(picture, 'base64'));
    } catch (error) {
      return refuse([invalid(['logo'], (error as Error).message)]);
    }
    return this.changes.run<InstallationSettings>(caller, { reason }, async (change) => {
      await change.tx.$queryRaw`SELECT 1 FROM "installation" WHERE "id" = 1 FOR UPDATE`;
      const before = await change.tx.installation.findUniqueOrThrow({ where: { id: 1 } });
      if (before.version !== expectedVersion) return refuse([conflict('installation')], toSettings(before));
      const { id: _, version, ...old } = before;
      const data = {
        ...withChanges(old, given),
        ...(accent == null ? {} : { accent: accent === '' ? null : accent.toLowerCase() }),
        ...(picture == null ? {} : { logo: logo === null ? null : new Uint8Array(logo) }),
        version: version + 1,
      };
      const after = await change.tx.installation.update({ where: { id: 1 }, data });
      await change.audit({
        action: 'installation.update',
        entityId: 'installation',
        entityName: after.companyName || after.productName,
        before: audited(before),
        after: audited(after),
      });
      return toSettings(after);
    });
  }
}

/** Without the bytes of the logo. */
function audited({ logo, id: _, ...settings }: InstallationRow) {
  return { ...settings, logo: logo === null ? null : `${logo.length} bytes` };
}

@Controller('api/brand')
class BrandController {
  constructor(private readonly installation: Installation) {}

  /** Anonymous: the sign-in page shows the logo. */
  @Anonymous()
  @Get('logo.png')
  async logo(@Res() reply: FastifyReply): Promise<void> {
    const { logo } = this.installation.current;
    if (logo === null) throw new NotFoundException();
    await reply
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .type('image/png')
      .send(Buffer.from(logo));
  }
}

@Module({ providers: [InstallationSettingsResolver], controllers: [BrandController] })
export class InstallationModule {}
