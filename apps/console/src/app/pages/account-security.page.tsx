import { useQuery } from '@tanstack/react-query';
import { Failure } from '../../components/failure.js';
import { Page, RowsSkeleton } from '../../components/page.js';
import { securityQuery } from '../../features/account-security/api/account.js';
import { PasskeysPanel } from '../../features/account-security/components/passkeys-panel.js';
import { PasswordPanel } from '../../features/account-security/components/password-panel.js';
import { SessionsPanel } from '../../features/account-security/components/sessions-panel.js';
import { TwoFactorPanel } from '../../features/account-security/components/two-factor-panel.js';

/** How the signed-in person signs in; the same page in the console and in a portal. */
export function AccountSecurityPage() {
  const { data, error, refetch } = useQuery(securityQuery);
  return (
    <Page
      title="Account security"
      description="Password, two-factor authentication, passkeys and sessions of your account."
    >
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <RowsSkeleton rows={6} framed />}
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
