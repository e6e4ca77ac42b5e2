import { Field, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { MemberRole, OperatorRole } from '../../platform/prisma/schema.js';

registerEnumType(OperatorRole, {
  name: 'OperatorRole',
  description: 'Role of an operator.',
  valuesMap: {
    OWNER: { description: 'Full access.' },
    LIMITS_ADMIN: { description: 'Manages APIs, tiers and limits.' },
    SUPPORT: { description: 'Manages tenants.' },
    BILLING: { description: 'Manages subscriptions, purchases and offers.' },
    AUDITOR: { description: 'Reads everything, changes nothing.' },
    VIEWER: { description: 'Reads policy and traffic, changes nothing.' },
  },
});

@ObjectType({ description: 'Membership of the viewer in a tenant.' })
export class ViewerMembership {
  @Field({ description: 'Key of the tenant.' })
  tenantKey!: string;

  @Field(() => MemberRole, { description: 'Role in the tenant.' })
  role!: MemberRole;

  @Field(() => [String], { description: 'Permissions in this tenant, such as `api-keys:write`.' })
  permissions!: string[];
}

@ObjectType({ description: 'Roles that have a permission.' })
export class PermissionRoles {
  @Field({ description: 'The permission, such as `tiers:write`.' })
  permission!: string;

  @Field(() => [OperatorRole], { description: 'Operator roles that have it for all tenants.' })
  operatorRoles!: OperatorRole[];

  @Field(() => [MemberRole], { description: 'Member roles that have it in their tenant.' })
  memberRoles!: MemberRole[];
}

@ObjectType({ description: 'Roles and scopes that the caller may grant.' })
export class Grantable {
  @Field(() => [OperatorRole], { description: 'Operator roles.' })
  operatorRoles!: OperatorRole[];

  @Field(() => [MemberRole], { description: 'Member roles of the tenant; empty without `tenantKey`.' })
  memberRoles!: MemberRole[];

  @Field(() => [String], { description: 'Scopes of service tokens for all tenants.' })
  scopes!: string[];
}

@ObjectType({ description: 'The caller of this request.' })
export class Viewer {
  @Field(() => ID, { description: 'Id of the user or service token.' })
  id!: string;

  @Field({ description: 'Name.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'Email address; null for a service token.' })
  email!: string | null;

  @Field(() => OperatorRole, { nullable: true, description: 'Role as an operator; null for others.' })
  role!: OperatorRole | null;

  @Field(() => [String], { description: 'Permissions for all tenants, such as `tiers:write`.' })
  permissions!: string[];

  @Field(() => [ViewerMembership], { description: 'Memberships of the viewer, by tenant key.' })
  memberships!: ViewerMembership[];
}

@ObjectType({ description: 'Public information about this installation.' })
export class Installation {
  @Field(() => String, {
    nullable: true,
    description: 'URL of the decision API for services and tenants; null if not configured.',
  })
  decisionUrl!: string | null;

  @Field({ description: 'Whether sign-up of tenants is open.' })
  signUp!: boolean;
}
