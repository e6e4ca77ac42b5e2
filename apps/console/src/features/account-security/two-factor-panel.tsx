import { Button, Center, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { encode } from 'uqr';
import { CopyBlock, SecretModal } from '../../components/copy.js';
import { CreateModal } from '../../components/create-modal.js';
import { StateDot } from '../../components/marks.js';
import { Hint, Panel } from '../../components/page.js';
import { notifyDone } from '../../lib/graphql-request.js';
import { plural } from '../../lib/number-format.js';
import {
  type TwoFactorSetup,
  useCodeVerify,
  useNewRecoveryCodes,
  useTwoFactorDisable,
  useTwoFactorEnable,
} from './api.js';
import { PasswordDialog } from './password-panel.js';

interface TwoFactorSetupDialogProps {
  onClose: () => void;
  onEnabled: (recoveryCodes: readonly string[]) => void;
}

/** Password, QR code, first code: two-factor authentication is on once the code was accepted. */
function TwoFactorSetupDialog({ onClose, onEnabled }: TwoFactorSetupDialogProps) {
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
        mutation={enable}
        onClose={onClose}
        onSubmit={(password) => enable.mutate(password, { onSuccess: setSetup })}
      />
    );
  return (
    <CreateModal
      title="Two-factor authentication"
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
      <Hint>Can’t scan it? Enter this key in the app:</Hint>
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

type Dialog = 'setup' | 'off' | 'codes';

export function TwoFactorPanel({ enabled, codesLeft }: { enabled: boolean; codesLeft: number }) {
  const [dialog, setDialog] = useState<Dialog>();
  const [codes, setCodes] = useState<readonly string[]>();
  const disable = useTwoFactorDisable();
  const renew = useNewRecoveryCodes();
  const close = () => {
    disable.reset();
    renew.reset();
    setDialog(undefined);
  };
  return (
    <Panel
      title="Two-factor authentication"
      note="Sign-in requires a code from an authenticator app in addition to your password."
    >
      <Group justify="space-between" gap="sm">
        <Group gap="md">
          <StateDot tone={enabled ? 'good' : 'quiet'}>{enabled ? 'On' : 'Off'}</StateDot>
          {enabled && (
            <Hint>
              {codesLeft === 0
                ? 'No recovery codes left'
                : plural(codesLeft, 'recovery code left', 'recovery codes left')}
            </Hint>
          )}
        </Group>
        <Group gap="xs">
          {enabled ? (
            <>
              <Button variant="default" size="sm" onClick={() => setDialog('codes')}>
                Generate new codes
              </Button>
              <Button variant="default" size="sm" onClick={() => setDialog('off')}>
                Turn off
              </Button>
            </>
          ) : (
            <Button size="sm" onClick={() => setDialog('setup')}>
              Turn on
            </Button>
          )}
        </Group>
      </Group>
      {dialog === 'setup' && (
        <TwoFactorSetupDialog
          onClose={close}
          onEnabled={(made) => {
            close();
            setCodes(made);
            notifyDone('Two-factor authentication is on.');
          }}
        />
      )}
      {dialog === 'off' && (
        <PasswordDialog
          title="Turn off"
          hint="Sign-in will only require your password."
          submitLabel="Turn off"
          mutation={disable}
          onClose={close}
          onSubmit={(password) =>
            disable.mutate(password, {
              onSuccess: () => {
                close();
                notifyDone('Two-factor authentication is off.');
              },
            })
          }
        />
      )}
      {dialog === 'codes' && (
        <PasswordDialog
          title="Generate new codes"
          hint="Your old recovery codes stop working."
          submitLabel="Generate new codes"
          mutation={renew}
          onClose={close}
          onSubmit={(password) =>
            renew.mutate(password, {
              onSuccess: ({ backupCodes }) => {
                close();
                setCodes(backupCodes);
              },
            })
          }
        />
      )}
      {codes && (
        <SecretModal
          title="Recovery codes"
          hint="Each code signs you in once if you lose your authenticator app. Store them in a safe place. You won’t be able to see them again."
          secret={codes.join('\n')}
          copyLabel="Copy codes"
          doneLabel="I have saved them"
          onClose={() => setCodes(undefined)}
        />
      )}
    </Panel>
  );
}
