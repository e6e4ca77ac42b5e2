import { ObjectType } from '@nestjs/graphql';
import { enumOf, field, ObjectOf } from '../../../platform/graphql/object-of.js';

export const LintSeverity = enumOf('LintSeverity', 'Severity of a finding.', {
  ERROR: 'The version cannot be published.',
  WARNING: 'The configuration probably does not do what was intended.',
  INFO: 'For information.',
});
export type LintSeverity = keyof typeof LintSeverity;

export const LintCode = enumOf('LintCode', 'Kind of problem.', {
  NEVER_REACHED: 'Another limit always denies first.',
  OVERLAP: 'Two limits count the same requests in the same way.',
  BAND_NEVER_USED: 'Another limit denies requests within its extra allowance.',
  POOL_EXCEEDED: "The sum of the tenants' own limits exceeds the pool's capacity.",
  POOL_NOT_DRAWN_ON: 'None of its operations uses the pool that it borrows from.',
  COST_ABOVE_BURST: 'An operation costs more than the limit admits at once.',
  UNKNOWN_OPERATION: 'The operation does not exist.',
  UNKNOWN_POOL: 'The pool does not exist.',
  UNKNOWN_API: 'The API does not exist.',
  MISSING_DIMENSION: 'Recent requests had no value for a dimension of the limit.',
  NO_LIMIT: 'The tier limits other APIs, but not this one.',
});
export type LintCode = keyof typeof LintCode;

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
