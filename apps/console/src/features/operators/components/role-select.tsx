import { Select } from '@mantine/core';
import type { OperatorRole } from '../../../generated/graphql.js';
import { OPERATOR_ROLE_TEXT } from '../../../lib/labels.js';
import { useMayGrant } from '../../../lib/viewer.js';

const OPERATOR_ROLE_MEANS_TEXT = {
  AUDITOR: 'Read-only access, including the audit trail.',
  BILLING: 'Offers, purchases, payments, subscriptions.',
  LIMITS_ADMIN: 'APIs, tiers, overrides, boosts, requests, rollback.',
  OWNER: 'Full access, including people and tokens.',
  SUPPORT: 'Tenants, their members, boosts of up to three days.',
  VIEWER: 'Read-only access to policy and usage.',
} as const;

const ROLES: readonly OperatorRole[] = ['OWNER', 'LIMITS_ADMIN', 'SUPPORT', 'BILLING', 'AUDITOR', 'VIEWER'];

interface RoleSelectProps {
  label: string;
  value: OperatorRole;
  onChange: (role: OperatorRole) => void;
  error?: string | undefined;
}

/** A role, with its meaning. Roles that the viewer may not grant are disabled. */
export function RoleSelect({ label, value, onChange, error }: RoleSelectProps) {
  const mayGrant = useMayGrant('operatorRoles');
  return (
    <Select
      label={label}
      description={OPERATOR_ROLE_MEANS_TEXT[value]}
      data={ROLES.map((role) => ({
        value: role,
        label: OPERATOR_ROLE_TEXT[role],
        disabled: !mayGrant(role),
      }))}
      value={value}
      onChange={(role) => role && onChange(role as OperatorRole)}
      allowDeselect={false}
      error={error}
    />
  );
}
