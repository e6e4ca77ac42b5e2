import { InputType, ObjectType } from '@nestjs/graphql';
import { findAccentProblem } from '@tollgate/contracts/brand';
import * as z from 'zod';
import { displayName, optionalNote, text } from '../changes/outcome.js';
import { InputOf } from '../graphql/input-of.js';
import { MutationInput, MutationPayload } from '../graphql/mutation.graphql.js';
import { field, ObjectOf } from '../graphql/object-of.js';
import { MAX_LOGO_BYTES } from './logo.js';

const CONTROL_EXCEPT_NEWLINE = /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** A text of a party on invoices. */
export const partyText = (maxLength: number, description: string) =>
  text(maxLength, CONTROL_EXCEPT_NEWLINE)
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
  productName: displayName.nullish().meta({ description: 'Name of the product. Omitted: unchanged.' }),
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
