import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import {
  Args,
  GraphQLSchemaBuilderModule,
  GraphQLSchemaFactory,
  InputType,
  Mutation,
  Query,
  Resolver,
} from '@nestjs/graphql';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { printSchema } from './graphql-js.js';
import { InputOf, NestedInput } from './object-of.js';
import { SafeInt } from './scalars.js';

const part = z.object({ name: z.string().describe('Name of the part.') });

@NestedInput(part)
@InputType()
class PartInput extends InputOf(part) {}

const whole = z.object({
  key: z
    .string()
    .transform((key) => key.trim())
    .describe('Unique.'),
  units: z
    .number()
    .meta({ graphql: () => SafeInt })
    .nullish(),
  count: z.int().default(1),
  ratio: z.number(),
  isOn: z.boolean().optional(),
  parts: z.array(part),
});

@InputType()
class WholeInput extends InputOf(whole) {}

@Resolver()
class TestResolver {
  @Query(() => String)
  read(): string {
    return '';
  }

  @Mutation(() => String)
  write(@Args('input') _input: WholeInput): string {
    return '';
  }
}

describe('InputOf', () => {
  it('declares the fields of the input side of a zod object', async () => {
    const module = await NestFactory.createApplicationContext(GraphQLSchemaBuilderModule, { logger: false });
    const schema = await module.get(GraphQLSchemaFactory).create([TestResolver]);
    expect(printSchema(schema)).toContain(`input WholeInput {
  """Unique."""
  key: String!
  units: SafeInt
  count: Int
  ratio: Float!
  isOn: Boolean
  parts: [PartInput!]!
}`);
    expect(PartInput).toBeDefined();
  });

  it('rejects a zod type without a GraphQL counterpart', async () => {
    @InputType()
    class BrokenInput extends InputOf(z.object({ map: z.map(z.string(), z.string()) })) {}
    @Resolver()
    class BrokenResolver extends TestResolver {
      @Query(() => String)
      broken(@Args('input') _input: BrokenInput): string {
        return '';
      }
    }
    const module = await NestFactory.createApplicationContext(GraphQLSchemaBuilderModule, { logger: false });
    await expect(module.get(GraphQLSchemaFactory).create([BrokenResolver])).rejects.toThrow(
      'No GraphQL input type for map',
    );
  });
});
