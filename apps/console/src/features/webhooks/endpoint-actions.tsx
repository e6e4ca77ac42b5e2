import { IconSend } from '@tabler/icons-react';
import { GatedButton } from '../../components/buttons.js';
import { askToConfirm } from '../../components/confirmation.js';
import { notifyDone, notifyFailure } from '../../lib/graphql-request.js';
import { useInputMutation } from '../../lib/mutation.js';
import {
  ENDPOINTS,
  EndpointDeleteDocument,
  EndpointDisableDocument,
  EndpointEnableDocument,
  type EndpointInList,
  EndpointSecretRotateDocument,
  EndpointTestDocument,
} from './api.js';
import { EndpointEditButton } from './endpoint-dialogs.js';

const QUESTIONS = {
  delete: {
    title: 'Delete this endpoint?',
    hint: 'Deletes its deliveries and attempts. This cannot be undone.',
    confirm: 'Delete',
    color: 'ember',
  },
  disable: {
    title: 'Disable this endpoint?',
    hint: 'Events are not sent or kept while it is disabled.',
    confirm: 'Disable',
    color: 'ember',
  },
  rotate: {
    title: 'Rotate the secret?',
    hint: 'Events are signed with both secrets for 24 hours, so receivers can switch without missing any.',
    confirm: 'Rotate secret',
    color: 'gate',
  },
} as const;

interface EndpointActionsProps {
  endpoint: EndpointInList;
  onSecret: (secret: string | null) => void;
  onDeleted: () => void;
}

export function EndpointActions({ endpoint, onSecret, onDeleted }: EndpointActionsProps) {
  const target = { id: endpoint.id, expectedVersion: endpoint.version };
  const test = useInputMutation(EndpointTestDocument, ENDPOINTS);
  const rotate = useInputMutation(EndpointSecretRotateDocument, ENDPOINTS);
  const enable = useInputMutation(EndpointEnableDocument, ENDPOINTS);
  const disable = useInputMutation(EndpointDisableDocument, ENDPOINTS);
  const remove = useInputMutation(EndpointDeleteDocument, ENDPOINTS);
  const onError = notifyFailure('Action failed');
  const ask = (what: keyof typeof QUESTIONS, onConfirm: () => void) => {
    const { title, hint, confirm, color } = QUESTIONS[what];
    askToConfirm({
      title,
      text: hint,
      confirm,
      color,
      onConfirm,
    });
  };
  const common = { permission: 'webhooks:write', variant: 'default' } as const;
  const isOn = endpoint.status === 'ENABLED';
  return (
    <>
      <GatedButton
        {...common}
        leftSection={<IconSend size={15} aria-hidden />}
        disabled={!isOn}
        loading={test.isPending}
        onClick={() => test.mutate(target, { onSuccess: () => notifyDone('Test event sent'), onError })}
      >
        Send test event
      </GatedButton>
      <EndpointEditButton endpoint={endpoint} />
      <GatedButton
        {...common}
        loading={rotate.isPending}
        onClick={() =>
          ask('rotate', () => rotate.mutate(target, { onSuccess: ({ secret }) => onSecret(secret), onError }))
        }
      >
        Rotate secret
      </GatedButton>
      {isOn ? (
        <GatedButton
          {...common}
          loading={disable.isPending}
          onClick={() => ask('disable', () => disable.mutate(target, { onError }))}
        >
          Disable
        </GatedButton>
      ) : (
        <GatedButton
          {...common}
          loading={enable.isPending}
          onClick={() => enable.mutate(target, { onError })}
        >
          Enable
        </GatedButton>
      )}
      <GatedButton
        {...common}
        color="ember"
        loading={remove.isPending}
        onClick={() => ask('delete', () => remove.mutate(target, { onSuccess: onDeleted, onError }))}
      >
        Delete
      </GatedButton>
    </>
  );
}
