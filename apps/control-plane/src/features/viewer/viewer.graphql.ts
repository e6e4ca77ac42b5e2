import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { OperatorRole } from '../../platform/prisma/schema.js';

registerEnumType(OperatorRole, {
  name: 'OperatorRole',
  description: 'What an operator may do.',
  valuesMap: {
    OWNER: { description: 'Everything.' },
    LIMITS_ADMIN: { description: 'APIs, tiers and limits.' },
    SUPPORT: { description: 'Tenants.' },
    BILLING: { description: 'What tenants are on.' },
    AUDITOR: { description: 'Sees everything, changes nothing.' },
    VIEWER: { description: 'Sees policy and traffic, changes nothing.' },
  },
});

@ObjectType({ description: 'Who is asking.' })
export class Viewer {
  @Field(() => ID, { description: 'Id of the user or service token.' })
  id!: string;

  @Field({ description: 'Name.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Address; null for a service token.' })
  email!: string | null;

  @Field(() => OperatorRole, { description: 'Role.' })
  role!: OperatorRole;

  @Field(() => [String], { description: 'What the role permits, such as `tiers:write`.' })
  permissions!: string[];
}
