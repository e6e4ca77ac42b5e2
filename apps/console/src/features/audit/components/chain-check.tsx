import { Alert, Button } from '@mantine/core';
import { IconAlertTriangle, IconLinkOff, IconShieldCheck } from '@tabler/icons-react';
import { formatNumber, plural } from '../../../lib/number-format.js';
import { useAuditVerify } from '../api/audit-verify.js';

type Verify = ReturnType<typeof useAuditVerify>;

/** Asks the server to read the trail from its first entry on. */
export function ChainCheckButton({ verify, tenant }: { verify: Verify; tenant: string | undefined }) {
  return (
    <Button
      variant="default"
      leftSection={<IconShieldCheck size={15} aria-hidden />}
      loading={verify.isPending}
      onClick={() => verify.mutate(tenant)}
    >
      Verify integrity
    </Button>
  );
}

/** What the check has found. */
export function ChainCheckResult({ verify }: { verify: Verify }) {
  const { data, error, reset } = verify;
  if (error)
    return (
      <Alert
        role="alert"
        color="ember"
        icon={<IconAlertTriangle size={18} aria-hidden />}
        title="Integrity check did not run"
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
        title={`Integrity check failed in ${plural(brokenChains, 'chain')}`}
        withCloseButton
        onClose={reset}
      >
        {breaks.map(({ chain, sequence, problem }) => (
          <div key={chain}>
            {chain}, entry {formatNumber(sequence)}: {problem}
          </div>
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
      Audit trail verified: {plural(entries, 'entry', 'entries')} in {plural(chains, 'chain')}.{' '}
      {unsignedChains > 0 &&
        `${plural(unsignedChains, 'chain has', 'chains have')} no signed head yet. Entries removed from the end cannot be detected until the next signature, within a minute.`}
    </Alert>
  );
}
