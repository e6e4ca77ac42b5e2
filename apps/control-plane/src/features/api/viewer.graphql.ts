import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { MemberRole, OperatorRole } from '../../platform/prisma/schema.js';

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

@ObjectType({ description: "The viewer's place in a tenant." })
export class ViewerMembership {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => MemberRole, { description: 'Role in it.' })
  role!: MemberRole;

  @Field(() => [String], { description: 'What may be done in this tenant, such as `api-keys:write`.' })
  permissions!: string[];
}

@ObjectType({ description: 'Who has a permission.' })
export class PermissionRoles {
  @Field({ description: 'The permission, such as `tiers:write`.' })
  permission!: string;

  @Field(() => [OperatorRole], { description: 'Roles of operators that have it over all tenants.' })
  operatorRoles!: OperatorRole[];

  @Field(() => [MemberRole], { description: "Roles of a tenant's own people that have it in their tenant." })
  memberRoles!: MemberRole[];
}

@ObjectType({ description: 'Roles and scopes that the caller may grant.' })
export class Grantable {
  @Field(() => [OperatorRole], { description: 'Roles of operators.' })
  operatorRoles!: OperatorRole[];

  @Field(() => [MemberRole], { description: 'Roles in the tenant; none without `tenantKey`.' })
  memberRoles!: MemberRole[];

  @Field(() => [String], { description: 'Scopes of service tokens that are limited to no tenant.' })
  scopes!: string[];
}

@ObjectType({ description: 'Who is asking.' })
export class Viewer {
  @Field(() => ID, { description: 'Id of the user or service token.' })
  id!: string;

  @Field({ description: 'Name.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Address; null for a service token.' })
  email!: string | null;

  @Field(() => OperatorRole, { nullable: true, description: 'Role as an operator; null: none.' })
  role!: OperatorRole | null;

  @Field(() => [String], { description: 'What may be done over all tenants, such as `tiers:write`.' })
  permissions!: string[];

  @Field(() => [ViewerMembership], { description: 'The tenants that the viewer belongs to, by key.' })
  memberships!: ViewerMembership[];
}

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
