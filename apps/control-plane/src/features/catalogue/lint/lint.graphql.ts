import { Field, Int, ObjectType, registerEnumType } from '@nestjs/graphql';

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
  description: 'How bad a finding is.',
  valuesMap: {
    ERROR: { description: 'It cannot be published like this.' },
    WARNING: { description: 'It does something else than it seems to.' },
    INFO: { description: 'Worth knowing.' },
  },
});
registerEnumType(LintCode, {
  name: 'LintCode',
  description: 'What is wrong.',
  valuesMap: {
    NEVER_REACHED: { description: 'Another limit always refuses first.' },
    OVERLAP: { description: 'Two limits count the same requests in the same way.' },
    BAND_NEVER_USED: { description: 'What it lets pass beyond the limit another limit refuses already.' },
    POOL_EXCEEDED: { description: "The tenants' own limits come to more than the pool's capacity." },
    POOL_NOT_DRAWN_ON: { description: 'None of its operations draws on the pool that it borrows from.' },
    COST_ABOVE_BURST: { description: 'An operation costs more than ever passes at once.' },
    UNKNOWN_OPERATION: { description: 'It names an operation that is gone.' },
    UNKNOWN_POOL: { description: 'It names a pool that is gone.' },
    UNKNOWN_API: { description: 'Its API is gone.' },
    MISSING_DIMENSION: { description: 'Recent requests had no value for a dimension that it counts by.' },
    NO_LIMIT: { description: 'The tier limits some APIs, and this one not at all.' },
  },
});

@ObjectType({ description: 'Something in the catalogue that is wrong or doubtful.' })
export class LintFinding {
  @Field(() => LintSeverity, { description: 'How bad it is.' })
  severity!: LintSeverity;

  @Field(() => LintCode, { description: 'What kind of thing it is.' })
  code!: LintCode;

  @Field(() => String, { nullable: true, description: 'Key of the tier; null: it concerns all of them.' })
  tierKey!: string | null;

  @Field(() => Int, { nullable: true, description: 'Number of the tier version.' })
  version!: number | null;

  @Field(() => [String], {
    description:
      'Where it is: ["limits", "2", "limit"] in the version, or ["apis", "shop", "pools", "main"].',
  })
  path!: string[];

  @Field({ description: 'What is wrong, in one sentence.' })
  message!: string;

  @Field({ description: 'What to do about it.' })
  advice!: string;
}
