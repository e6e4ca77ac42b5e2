import { ObjectType, registerEnumType } from '@nestjs/graphql';
import { field, ObjectOf } from '../../../platform/graphql/object-of.js';

export const LintSeverity = { ERROR: 'ERROR', WARNING: 'WARNING', INFO: 'INFO' } as const;
export type LintSeverity = keyof typeof LintSeverity;

export const LintCode = {
  NEVER_REACHED: 'NEVER_REACHED',
  OVERLAP: 'OVERLAP',
  BAND_NEVER_USED: 'BAND_NEVER_USED',
  POOL_EXCEEDED: 'POOL_EXCEEDED',
  POOL_NOT_DRAWN_ON: 'POOL_NOT_DRAWN_ON',
  COST_ABOVE_BURST: 'COST_ABOVE_BURST',
  UNKNOWN_OPERATION: 'UNKNOWN_OPERATION',
  UNKNOWN_POOL: 'UNKNOWN_POOL',
  UNKNOWN_API: 'UNKNOWN_API',
  MISSING_DIMENSION: 'MISSING_DIMENSION',
  NO_LIMIT: 'NO_LIMIT',
} as const;
export type LintCode = keyof typeof LintCode;

registerEnumType(LintSeverity, {
  name: 'LintSeverity',
  description: 'Severity of a finding.',
  valuesMap: {
    ERROR: { description: 'The version cannot be published.' },
    WARNING: { description: 'The configuration probably does not do what was intended.' },
    INFO: { description: 'For information.' },
  },
});
registerEnumType(LintCode, {
  name: 'LintCode',
  description: 'Kind of problem.',
  valuesMap: {
    NEVER_REACHED: { description: 'Another limit always denies first.' },
    OVERLAP: { description: 'Two limits count the same requests in the same way.' },
    BAND_NEVER_USED: { description: 'Another limit denies requests within its extra allowance.' },
    POOL_EXCEEDED: { description: "The sum of the tenants' own limits exceeds the pool's capacity." },
    POOL_NOT_DRAWN_ON: { description: 'None of its operations uses the pool that it borrows from.' },
    COST_ABOVE_BURST: { description: 'An operation costs more than the limit admits at once.' },
    UNKNOWN_OPERATION: { description: 'The operation does not exist.' },
    UNKNOWN_POOL: { description: 'The pool does not exist.' },
    UNKNOWN_API: { description: 'The API does not exist.' },
    MISSING_DIMENSION: { description: 'Recent requests had no value for a dimension of the limit.' },
    NO_LIMIT: { description: 'The tier limits other APIs, but not this one.' },
  },
});

@ObjectType({ description: 'A problem in the catalogue.' })
export class LintFinding extends ObjectOf({
  severity: field.of(() => LintSeverity, 'Severity.'),
  code: field.of(() => LintCode, 'Kind of problem.'),
  tierKey: field.string('Key of the tier; null if it concerns all tiers.').nullable(),
  version: field.int('Number of the tier version.').nullable(),
  path: field
    .string(
      'Path of the problem: ["limits", "2", "limit"] in the version, or ["apis", "shop", "pools", "main"].',
    )
    .list(),
  message: field.string('The problem in one sentence.'),
  advice: field.string('How to fix it.'),
}) {}
