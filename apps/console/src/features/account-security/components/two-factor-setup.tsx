import { Center, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { encode } from 'uqr';
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
  const [setup, setSetup] = useState<TwoFactorSetup>();
  const [code, setCode] = useState('');
  const enable = useTwoFactorEnable();
  const verify = useCodeVerify();
  if (setup === undefined)
    return (
      <PasswordDialog
        title="Two-factor authentication"
        hint="Sign-in requires a code from an authenticator app in addition to your password."
        submitLabel="Continue"
        pending={enable.isPending}
        error={enable.error}
        onClose={onClose}
        onSubmit={(password) => enable.mutate(password, { onSuccess: setSetup })}
      />
    );
  return (
    <CreateModal
      title="Two-factor authentication"
      opened
      onClose={onClose}
      onSubmit={() => verify.mutate(code, { onSuccess: () => onEnabled(setup.backupCodes) })}
      submitLabel="Verify"
      pending={verify.isPending}
      problem={verify.error?.message}
    >
      <Text size="sm">Scan this QR code with your authenticator app, then enter the code it shows.</Text>
      <Center>
        <QrCode text={setup.totpURI} label="QR code for an authenticator app" />
      </Center>
      <Text size="sm" c="dimmed">
        Can’t scan it? Enter this key in the app:
      </Text>
      <CopyBlock text={new URL(setup.totpURI).searchParams.get('secret') ?? ''} label="Copy key" />
      <TextInput
        label="Code"
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
