import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { Panel } from '../../../components/page.js';
import { SecretModal } from '../../../components/secret-modal.js';
import { StateDot } from '../../../components/state-dot.js';
import { plural } from '../../../lib/number-format.js';
import { useNewRecoveryCodes, useTwoFactorDisable } from '../api/account.js';
import { PasswordDialog } from './password-dialog.js';
import { TwoFactorSetupDialog } from './two-factor-setup.js';

type Dialog = 'setup' | 'off' | 'codes';

/** Turns two-factor authentication on and off, and makes new recovery codes. */
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
  const tell = (message: string) => notifications.show({ message, color: 'gate', withBorder: true });
  return (
    <Panel
      title="Two-factor authentication"
      note="Sign-in requires a code from an authenticator app in addition to your password."
    >
      <Group justify="space-between" gap="sm">
        <Group gap="md">
          <StateDot tone={enabled ? 'good' : 'quiet'}>{enabled ? 'On' : 'Off'}</StateDot>
          {enabled && (
            <Text size="sm" c="dimmed">
              {codesLeft === 0
                ? 'No recovery codes left'
                : plural(codesLeft, 'recovery code left', 'recovery codes left')}
            </Text>
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
            tell('Two-factor authentication is on.');
          }}
        />
      )}
      {dialog === 'off' && (
        <PasswordDialog
          title="Turn off"
          hint="Sign-in will only require your password."
          submitLabel="Turn off"
          pending={disable.isPending}
          error={disable.error}
          onClose={close}
          onSubmit={(password) =>
            disable.mutate(password, {
              onSuccess: () => {
                close();
                tell('Two-factor authentication is off.');
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
          pending={renew.isPending}
          error={renew.error}
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
