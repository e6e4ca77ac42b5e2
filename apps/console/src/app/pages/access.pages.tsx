import { IconKey, IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AddButton, GatedButton } from '../../components/buttons.js';
import { SecretModal } from '../../components/copy.js';
import { EmptyState, Page, Panel, QueryFallback } from '../../components/page.js';
import { securityQuery } from '../../features/account-security/api.js';
import { PasskeysPanel } from '../../features/account-security/passkeys-panel.js';
import { PasswordPanel } from '../../features/account-security/password-panel.js';
import { SessionsPanel } from '../../features/account-security/sessions-panel.js';
import { TwoFactorPanel } from '../../features/account-security/two-factor-panel.js';
import { operatorsQuery } from '../../features/operators/api.js';
import { InvitationsTable, OperatorInvite } from '../../features/operators/invitations.js';
import { OperatorsTable } from '../../features/operators/operators-table.js';
import {
  type ServiceTokenInList,
  ServiceTokenRevokeDocument,
  serviceTokensQuery,
} from '../../features/service-tokens/api.js';
import {
  ServiceTokenCreate,
  ServiceTokenRotate,
  ServiceTokensTable,
} from '../../features/service-tokens/service-tokens.js';
import { notifyDone, notifyFailure } from '../../lib/graphql-request.js';
import { useInputMutation } from '../../lib/mutation.js';

export function TeamPage() {
  const query = useQuery(operatorsQuery);
  const { data } = query;
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
        <QueryFallback query={query} rows={4} />
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
            notifyDone(`${email} invited`);
          }}
        />
      )}
    </Page>
  );
}

export function ServiceTokensPage() {
  const query = useQuery(serviceTokensQuery);
  const { data } = query;
  const revoke = useInputMutation(ServiceTokenRevokeDocument, serviceTokensQuery.queryKey);
  const [creating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<ServiceTokenInList>();
  const [issued, setIssued] = useState<string | null>();
  const show = (token: string | null) => {
    setCreating(false);
    setRotating(undefined);
    setIssued(token);
  };
  const createButton = (
    <AddButton permission="service-tokens:write" onClick={() => setCreating(true)}>
      Create token
    </AddButton>
  );
  const revokeToken = ({ id }: ServiceTokenInList) =>
    revoke.mutate({ id }, { onError: notifyFailure('Token not revoked') });
  return (
    <Page
      title="Service tokens"
      description="Tokens for services that call the decision API and scripts that call GraphQL."
      actions={data && data.length > 0 && createButton}
    >
      <Panel flush>
        <QueryFallback query={query} rows={3} />
        {data?.length === 0 && (
          <EmptyState icon={IconKey} title="No service tokens yet" action={createButton}>
            Create one for each service, so that you can revoke them separately.
          </EmptyState>
        )}
        {data && data.length > 0 && (
          <ServiceTokensTable tokens={data} onRotate={setRotating} onRevoke={revokeToken} />
        )}
      </Panel>
      {creating && <ServiceTokenCreate onClose={() => setCreating(false)} onIssued={show} />}
      {rotating && (
        <ServiceTokenRotate token={rotating} onClose={() => setRotating(undefined)} onIssued={show} />
      )}
      {issued !== undefined && (
        <SecretModal
          title="Copy the token now"
          hint="You won’t be able to see this again. Only a hash is stored."
          secret={issued}
          copyLabel="Copy token"
          doneLabel="I have saved it"
          onClose={() => setIssued(undefined)}
        />
      )}
    </Page>
  );
}

/** The same page in the console and in a portal. */
export function AccountSecurityPage() {
  const query = useQuery(securityQuery);
  const { data } = query;
  return (
    <Page
      title="Account security"
      description="Password, two-factor authentication, passkeys and sessions of your account."
    >
      <QueryFallback query={query} rows={6} framed />
      {data && (
        <>
          <PasswordPanel />
          <TwoFactorPanel enabled={data.twoFactorEnabled} codesLeft={data.recoveryCodesLeft} />
          <PasskeysPanel passkeys={data.passkeys} />
          <SessionsPanel sessions={data.sessions} />
        </>
      )}
    </Page>
  );
}
