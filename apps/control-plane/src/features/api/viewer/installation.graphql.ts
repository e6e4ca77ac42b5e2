import { Field, ObjectType } from '@nestjs/graphql';

@ObjectType({ description: 'What everybody may know of this installation, signed in or not.' })
export class Installation {
  @Field(() => String, {
    nullable: true,
    description: 'Where services and tenants reach the decision API; null: nobody has said.',
  })
  decisionUrl!: string | null;

  @Field({ description: 'Whether tenants may sign up by themselves.' })
  signUp!: boolean;
}
