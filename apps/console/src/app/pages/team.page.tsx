import { notifications } from '@mantine/notifications';
import { IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Failure } from '../../components/failure.js';
import { GatedButton } from '../../components/gated-button.js';
import { Page, Panel, RowsSkeleton } from '../../components/page.js';
import { operatorsQuery } from '../../features/operators/api/operators.js';
import { InvitationsTable } from '../../features/operators/components/invitations-table.js';
import { OperatorInvite } from '../../features/operators/components/operator-invite.js';
import { OperatorsTable } from '../../features/operators/components/operators-table.js';

/** Who runs this installation. */
export function TeamPage() {
  const { data, error, refetch } = useQuery(operatorsQuery);
  const [inviting, setInviting] = useState(false);
  return (
    <Page
      title="Team"
      description="People who run this installation, and their roles."
      actions={
        <GatedButton
          permission="operators:write"
          leftSection={<IconUserPlus size={15} aria-hidden />}
          onClick={() => setInviting(true)}
        >
          Invite
        </GatedButton>
      }
    >
      <Panel flush>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <RowsSkeleton rows={4} />}
        {data && <OperatorsTable operators={data.operators} />}
      </Panel>
      {data && (
        <Panel title="Pending invitations" flush>
          <InvitationsTable invitations={data.operatorInvitations.nodes} />
        </Panel>
      )}
      {inviting && (
        <OperatorInvite
          onClose={() => setInviting(false)}
          onInvited={(email) => {
            setInviting(false);
            notifications.show({ message: `${email} invited`, color: 'gate', withBorder: true });
          }}
        />
      )}
    </Page>
  );
}
