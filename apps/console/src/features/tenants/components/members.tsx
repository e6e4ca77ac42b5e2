import { Text } from '@mantine/core';
import { DataTable } from '../../../components/data-table.js';
import { Panel } from '../../../components/page.js';
import type { TenantDetail } from '../api/tenant.js';

const ROLES = { OWNER: 'Owner', BUYER: 'Buyer', DEVELOPER: 'Developer', VIEWER: 'Viewer' } as const;

/** The tenant's own people. */
export function Members({ members }: { members: TenantDetail['members'] }) {
  return (
    <Panel title="Members" flush>
      {members.length === 0 ? (
        <Text c="dimmed" size="sm" p="md">
          Nobody of this tenant has an account.
        </Text>
      ) : (
        <DataTable label="Members" columns={[{ name: 'Name' }, { name: 'Email' }, { name: 'Role' }]}>
          {members.map(({ id, name, email, role }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td>{email}</td>
              <td>{ROLES[role]}</td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}
