import { Args, Field, InputType, Int, ObjectType, Query, Resolver, registerEnumType } from '@nestjs/graphql';
import { compareLimits, type LimitPolicy } from '@tollgate/contracts';
import { RequirePermission } from '../../../platform/access/require-permission.decorator.js';
import { Json } from '../../../platform/graphql/scalars.js';
import { type LimitRecord } from '../limits/limit-record.js';
import { Limit } from '../limits/limits.graphql.js';
import { TierVersion } from './tiers.graphql.js';
import { TiersRepository, type TierVersionRow } from './tiers.repository.js';
import { TiersService } from './tiers.service.js';

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

/** A limit in which two versions differ. */
export interface LimitDifferenceRow {
  apiKey: string;
  name: string;
  kind: DifferenceKind;
  before: LimitRecord | null;
  after: LimitRecord | null;
  fields: FieldDifference[];
  loosened: boolean;
  tightened: boolean;
}

/** In which limits two versions differ, by API and name. */
export function findDifferences(
  before: readonly LimitRecord[],
  after: readonly LimitRecord[],
): LimitDifferenceRow[] {
  const { loosened, tightened } = compareLimits(before.map(policyOf), after.map(policyOf));
  const [old, next] = [byKey(before), byKey(after)];
  return [...new Set([...old.keys(), ...next.keys()])].sort().flatMap((key) => {
    const [a, b] = [old.get(key) ?? null, next.get(key) ?? null];
    const one = (b ?? a) as LimitRecord;
    const fields = a === null || b === null ? [] : compareFields(a.policy, b.policy);
    if (a !== null && b !== null && fields.length === 0) return [];
    const kind = a === null ? 'ADDED' : b === null ? 'REMOVED' : 'CHANGED';
    return [
      {
        apiKey: one.apiKey,
        name: one.name,
        kind,
        before: a,
        after: b,
        fields,
        loosened: loosened.includes(key),
        tightened: tightened.includes(key),
      },
    ];
  });
}

const policyOf = ({ policy }: LimitRecord): LimitPolicy => policy;

function byKey(limits: readonly LimitRecord[]): Map<string, LimitRecord> {
  return new Map(limits.map((limit) => [`${limit.apiKey}/${limit.name}`, limit]));
}

/** In which fields two objects differ, by their paths. Lists are compared as a whole. */
export function compareFields(before: object, after: object): FieldDifference[] {
  const [old, next] = [flatten(before), flatten(after)];
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((field) => {
    const [a = null, b = null] = [old.get(field), next.get(field)];
    return JSON.stringify(a) === JSON.stringify(b) ? [] : [{ field, before: a, after: b }];
  });
}

function flatten(value: object, path = ''): Map<string, unknown> {
  return new Map(
    Object.entries(value).flatMap(([name, one]): [string, unknown][] =>
      typeof one === 'object' && one !== null && !Array.isArray(one)
        ? [...flatten(one, `${path}${name}.`)]
        : [[path + name, one]],
    ),
  );
}

@Resolver()
export class CompareResolver {
  constructor(
    private readonly service: TiersService,
    private readonly tiers: TiersRepository,
  ) {}

  @RequirePermission('tiers:read')
  @Query(() => TierComparison, {
    name: 'tierCompare',
    nullable: true,
    description: 'In what two versions, of one tier or of two, differ; null when there is no such version.',
  })
  async compare(
    @Args('a', { description: 'The first.' }) a: TierVersionRef,
    @Args('b', { description: 'The second.' }) b: TierVersionRef,
  ) {
    const [first, second] = [await this.find(a), await this.find(b)];
    if (first === null || second === null) return null;
    const limits = await this.tiers.listLimits([first.id, second.id]);
    const differences = findDifferences(limits.get(first.id) ?? [], limits.get(second.id) ?? []);
    return {
      a: first,
      b: second,
      limits: differences,
      loosened: differences.filter(({ loosened }) => loosened).length,
      tightened: differences.filter(({ tightened }) => tightened).length,
    };
  }

  private async find({ tierKey, version }: TierVersionRef): Promise<TierVersionRow | null> {
    const tier = await this.service.findByKey(tierKey);
    return tier === null ? null : this.tiers.findVersion(tier.id, version);
  }
}
