import { Field, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import { ManagedInput, PublishedPayload } from '../../../platform/graphql/mutation.graphql.js';
import { ManagedBy } from '../../../platform/prisma/schema.js';

@ObjectType({
  description:
    'At which parts of its limits a tenant wants to be told. What is said for a limit goes before what is said for its API, and that before what is said for all; without any it is 80 and 100 percent.',
})
export class AlertThreshold {
  @Field(() => ID, { description: 'Id of the setting.' })
  id!: string;

  @Field(() => String, { nullable: true, description: 'Key of the API; null: all APIs.' })
  apiKey!: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the limit; null: all limits of the API.' })
  limitName!: string | null;

  @Field(() => [Int], { description: 'Percent, rising. 100 is told whether it is among them or not.' })
  percents!: number[];

  @Field(() => ManagedBy, { description: 'Where it is kept.' })
  managedBy!: ManagedBy;
}

@InputType({ description: 'At which parts of its limits a tenant wants to be told.' })
export class AlertThresholdSetInput extends ManagedInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => String, { nullable: true, description: 'Key of the API; all APIs when left out.' })
  apiKey?: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the limit; all of the API when left out.' })
  limitName?: string | null;

  @Field(() => [Int], { description: 'Percent, 1 to 100, at most 8 different ones over all settings.' })
  percents!: number[];
}

@InputType({ description: 'Which setting to take back.' })
export class AlertThresholdRemoveInput extends ManagedInput {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => ID, { description: 'Id of the setting.' })
  id!: string;
}

@ObjectType({ description: 'Outcome of a change to alert thresholds.' })
export class AlertThresholdsPayload extends PublishedPayload {
  @Field(() => [AlertThreshold], {
    nullable: true,
    description: 'All settings of the tenant after the change.',
  })
  alertThresholds!: AlertThreshold[] | null;
}
