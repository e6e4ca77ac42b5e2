import { Field, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Json } from '../../../../platform/graphql/scalars.js';
import { Limit } from '../limits.graphql.js';
import { TierVersion } from '../tiers.graphql.js';

export const DifferenceKind = { ADDED: 'ADDED', REMOVED: 'REMOVED', CHANGED: 'CHANGED' } as const;
export type DifferenceKind = keyof typeof DifferenceKind;

registerEnumType(DifferenceKind, {
  name: 'DifferenceKind',
  description: 'How two versions differ in a limit.',
  valuesMap: {
    ADDED: { description: 'Only the second has it.' },
    REMOVED: { description: 'Only the first has it.' },
    CHANGED: { description: 'Both have it, and not alike.' },
  },
});

@InputType({ description: 'A version of a tier.' })
export class TierVersionRef {
  @Field({ description: 'Key of the tier.' })
  tierKey!: string;

  @Field(() => Int, { description: 'Number of the version; a draft has one, too.' })
  version!: number;
}

@ObjectType({ description: 'A field in which a limit differs.' })
export class FieldDifference {
  @Field({ description: 'Its path in the limit, such as `limit` or `throttle.percent`.' })
  field!: string;

  @Field(() => Json, { nullable: true, description: 'What the first says; null: nothing.' })
  before!: unknown;

  @Field(() => Json, { nullable: true, description: 'What the second says; null: nothing.' })
  after!: unknown;
}

@ObjectType({ description: 'A limit in which two versions differ.' })
export class LimitDifference {
  @Field({ description: 'Key of its API.' })
  apiKey!: string;

  @Field({ description: 'Its name within the API.' })
  name!: string;

  @Field(() => DifferenceKind, { description: 'How they differ.' })
  kind!: DifferenceKind;

  @Field(() => Limit, { nullable: true, description: 'As the first has it; null when it was added.' })
  before!: Limit | null;

  @Field(() => Limit, { nullable: true, description: 'As the second has it; null when it was removed.' })
  after!: Limit | null;

  @Field(() => [FieldDifference], { description: 'What was changed in it; empty unless it was changed.' })
  fields!: FieldDifference[];

  @Field({ description: 'Whether the second admits more, in some respect.' })
  loosened!: boolean;

  @Field({ description: 'Whether the second admits less, in some respect.' })
  tightened!: boolean;
}

@ObjectType({ description: 'In what two tier versions differ.' })
export class TierComparison {
  @Field(() => TierVersion, { description: 'The first.' })
  a!: TierVersion;

  @Field(() => TierVersion, { description: 'The second.' })
  b!: TierVersion;

  @Field(() => [LimitDifference], { description: 'Limits in which they differ, by API and name.' })
  limits!: LimitDifference[];

  @Field(() => Int, { description: 'How many of them admit more, in some respect.' })
  loosened!: number;

  @Field(() => Int, { description: 'How many of them admit less, in some respect.' })
  tightened!: number;
}
