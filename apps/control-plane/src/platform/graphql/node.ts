import { Field, ID, InterfaceType } from '@nestjs/graphql';

@InterfaceType({
  description: 'An object that can be fetched by its id.',
  resolveType: (value) => value.__typename,
})
export abstract class Node {
  @Field(() => ID, { description: 'Global id, with a prefix for its type.' })
  id!: string;
}
