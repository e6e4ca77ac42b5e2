import { Center, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { encode } from 'uqr';
import { useTranslations } from 'use-intl';
import { CopyBlock } from '../../../components/copy-block.js';
import { CreateModal } from '../../../components/create-modal.js';
import { type TwoFactorSetup, useCodeVerify, useTwoFactorEnable } from '../api/account.js';
import { PasswordDialog } from './password-dialog.js';

interface TwoFactorSetupDialogProps {
  onClose: () => void;
  onEnabled: (recoveryCodes: readonly string[]) => void;
}

/** Password, QR code, first code: two-factor authentication is on once the code was accepted. */
export function TwoFactorSetupDialog({ onClose, onEnabled }: TwoFactorSetupDialogProps) {
  const t = useTranslations('accountSecurity');
  const [setup, setSetup] = useState<TwoFactorSetup>();
  const [code, setCode] = useState('');
  const enable = useTwoFactorEnable();
  const verify = useCodeVerify();
  if (setup === undefined)
    return (
      <PasswordDialog
        title={t('twoFactor')}
        hint={t('twoFactorNote')}
        submitLabel={t('continue')}
        pending={enable.isPending}
        error={enable.error}
        onClose={onClose}
        onSubmit={(password) => enable.mutate(password, { onSuccess: setSetup })}
      />
    );
  return (
    <CreateModal
      title={t('twoFactor')}
      opened
      onClose={onClose}
      onSubmit={() => verify.mutate(code, { onSuccess: () => onEnabled(setup.backupCodes) })}
      submitLabel={t('verify')}
      pending={verify.isPending}
      problem={verify.error?.message}
    >
      <Text size="sm">{t('scan')}</Text>
      <Center>
        <QrCode text={setup.totpURI} label={t('qrCode')} />
      </Center>
      <Text size="sm" c="dimmed">
        {t('setupKey')}
      </Text>
      <CopyBlock text={new URL(setup.totpURI).searchParams.get('secret') ?? ''} label={t('copyKey')} />
      <TextInput
        label={t('code')}
        inputMode="numeric"
        autoComplete="one-time-code"
        data-autofocus
        maxLength={7}
        value={code}
        onChange={({ currentTarget }) => setCode(currentTarget.value)}
      />
    </CreateModal>
  );
}

/** Dark on white in both themes: cameras need the contrast. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 3 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      role="img"
      aria-label={label}
      width={200}
      height={200}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
