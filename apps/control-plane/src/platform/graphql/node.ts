import { Field, ID, InterfaceType } from '@nestjs/graphql';

@InterfaceType({
  description: 'Anything that can be fetched by its id alone.',
  resolveType: (value) => value.__typename,
})
export abstract class Node {
  @Field(() => ID, { description: 'Global id, with a prefix that tells its type.' })
  id!: string;
}
