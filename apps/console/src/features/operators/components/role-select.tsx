import { Select } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { OperatorRole } from '../../../generated/graphql.js';
import { useMayGrant } from '../../../lib/grantable.js';

const ROLES: readonly OperatorRole[] = ['OWNER', 'LIMITS_ADMIN', 'SUPPORT', 'BILLING', 'AUDITOR', 'VIEWER'];

interface RoleSelectProps {
  label: string;
  value: OperatorRole;
  onChange: (role: OperatorRole) => void;
  error?: string | undefined;
}

/** A role, with its meaning. Roles that the viewer may not grant are disabled. */
export function RoleSelect({ label, value, onChange, error }: RoleSelectProps) {
  const t = useTranslations('operators');
  const mayGrant = useMayGrant('operatorRoles');
  return (
    <Select
      label={label}
      description={t(`${value}Means`)}
      data={ROLES.map((role) => ({ value: role, label: t(role), disabled: !mayGrant(role) }))}
      value={value}
      onChange={(role) => role && onChange(role as OperatorRole)}
      allowDeselect={false}
      error={error}
    />
  );
}
