import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { LintSeverity } from '../../catalogue/index.js';
import { Override } from './overrides.graphql.js';

export const OverrideLintCode = {
  EXPIRED: 'EXPIRED',
  NEVER_APPLIES: 'NEVER_APPLIES',
  CHANGES_NOTHING: 'CHANGES_NOTHING',
  HIDES_PURCHASE: 'HIDES_PURCHASE',
} as const;
export type OverrideLintCode = keyof typeof OverrideLintCode;

registerEnumType(OverrideLintCode, {
  name: 'OverrideLintCode',
  description: 'Problem of an override or boost.',
  valuesMap: {
    EXPIRED: { description: 'It has ended by itself, and nobody removed it.' },
    NEVER_APPLIES: { description: 'Its tenant has no limit that it is for.' },
    CHANGES_NOTHING: { description: 'The limits that it is for would be the same without it.' },
    HIDES_PURCHASE: { description: 'An upgrade or top-up of the tenant has no effect because of it.' },
  },
});

@ObjectType({ description: 'A problem of an override or boost.' })
export class OverrideLintFinding {
  @Field(() => LintSeverity, { description: 'How bad it is.' })
  severity!: LintSeverity;

  @Field(() => OverrideLintCode, { description: 'Kind of problem.' })
  code!: OverrideLintCode;

  @Field(() => Override, { description: 'Which one.' })
  override!: Override;

  @Field({ description: 'What is wrong, in one sentence.' })
  message!: string;

  @Field({ description: 'What to do about it.' })
  advice!: string;
}

@ObjectType({ description: 'What was found in some hundred overrides and boosts, newest first.' })
export class OverrideLint {
  @Field(() => [OverrideLintFinding], { description: 'The problems found.' })
  findings!: OverrideLintFinding[];

  @Field(() => String, {
    nullable: true,
    description: 'Where to go on, as `after`; null: there are no more to look at.',
  })
  endCursor!: string | null;
}
