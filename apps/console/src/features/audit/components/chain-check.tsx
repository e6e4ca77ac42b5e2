import { Alert, Button } from '@mantine/core';
import { IconAlertTriangle, IconLinkOff, IconShieldCheck } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { useAuditVerify } from '../api/audit-verify.js';

type Verify = ReturnType<typeof useAuditVerify>;

/** Asks the server to read the trail from its first entry on. */
export function ChainCheckButton({ verify, tenant }: { verify: Verify; tenant: string | undefined }) {
  const t = useTranslations('audit');
  return (
    <Button
      variant="default"
      leftSection={<IconShieldCheck size={15} aria-hidden />}
      loading={verify.isPending}
      onClick={() => verify.mutate(tenant)}
    >
      {t('verify')}
    </Button>
  );
}

/** What the check has found. */
export function ChainCheckResult({ verify }: { verify: Verify }) {
  const t = useTranslations('audit');
  const { data, error, reset } = verify;
  if (error)
    return (
      <Alert
        role="alert"
        color="ember"
        icon={<IconAlertTriangle size={18} aria-hidden />}
        title={t('verifyFailed')}
        withCloseButton
        onClose={reset}
      >
        {error.message}
      </Alert>
    );
  if (!data) return null;
  const { ok, entries, chains, unsignedChains, brokenChains, breaks } = data;
  if (!ok)
    return (
      <Alert
        role="alert"
        color="ember"
        icon={<IconLinkOff size={18} aria-hidden />}
        title={t('broken', { count: brokenChains })}
        withCloseButton
        onClose={reset}
      >
        {breaks.map(({ chain, sequence, problem }) => (
          <div key={chain}>{t('brokenAt', { chain, sequence, problem })}</div>
        ))}
      </Alert>
    );
  return (
    <Alert
      role="status"
      color="gate"
      icon={<IconShieldCheck size={18} aria-hidden />}
      withCloseButton
      onClose={reset}
    >
      {t('verified', { entries, chains })} {unsignedChains > 0 && t('unsigned', { count: unsignedChains })}
    </Alert>
  );
}
