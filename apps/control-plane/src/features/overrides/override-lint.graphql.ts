import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { LintSeverity } from '../tiers/index.js';
import { Override } from './overrides.graphql.js';

export const OverrideLintCode = {
  EXPIRED: 'EXPIRED',
  NEVER_APPLIES: 'NEVER_APPLIES',
  CHANGES_NOTHING: 'CHANGES_NOTHING',
} as const;
export type OverrideLintCode = keyof typeof OverrideLintCode;

registerEnumType(OverrideLintCode, {
  name: 'OverrideLintCode',
  description: 'Why an override or boost does nothing.',
  valuesMap: {
    EXPIRED: { description: 'It has ended by itself, and nobody removed it.' },
    NEVER_APPLIES: { description: 'Its tenant has no limit that it is for.' },
    CHANGES_NOTHING: { description: 'The limits that it is for would be the same without it.' },
  },
});

@ObjectType({ description: 'An override or boost that does nothing.' })
export class OverrideLintFinding {
  @Field(() => LintSeverity, { description: 'How bad it is.' })
  severity!: LintSeverity;

  @Field(() => OverrideLintCode, { description: 'Why it does nothing.' })
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
  @Field(() => [OverrideLintFinding], { description: 'Those that do nothing.' })
  findings!: OverrideLintFinding[];

  @Field(() => String, {
    nullable: true,
    description: 'Where to go on, as `after`; null: there are no more to look at.',
  })
  endCursor!: string | null;
}
