import { Alert, Button, Checkbox, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import dayjs from 'dayjs';
import { useState } from 'react';
import { CopyBlock } from '../../../components/copy-block.js';
import { CreateModal } from '../../../components/create-modal.js';
import { errorsByField } from '../../../lib/user-errors.js';
import { useServiceTokenCreate } from '../api/service-token-create.js';
import { TOKEN_SCOPES } from '../token-scopes.js';

const LIFETIMES = [
  { value: '', label: 'No end' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
];

/** Issues a token and shows it, this once. */
export function ServiceTokenCreate({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState({ name: '', scopes: [TOKEN_SCOPES[0].value] as string[], days: '' });
  const create = useServiceTokenCreate();
  const { byField, form } = errorsByField(create.error, ['name', 'scopes', 'expiresAt']);
  const submit = () => {
    const { name, scopes, days } = values;
    create.mutate({
      name,
      scopes,
      expiresAt: days === '' ? null : dayjs().add(Number(days), 'day').toISOString(),
    });
  };
  if (create.data !== undefined) return <IssuedToken token={create.data} onClose={onClose} />;
  return (
    <CreateModal
      title="Create a service token"
      opened
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Create token"
      pending={create.isPending}
      problem={form}
    >
      <TextInput
        label="Name"
        description="Which service uses it, such as “checkout, production”."
        required
        data-autofocus
        value={values.name}
        onChange={({ currentTarget: { value } }) => setValues({ ...values, name: value })}
        error={byField.name}
      />
      <Checkbox.Group
        label="It may"
        value={values.scopes}
        onChange={(scopes) => setValues({ ...values, scopes })}
        error={byField.scopes}
      >
        <Stack gap={8} mt={4}>
          {TOKEN_SCOPES.map(({ value, label }) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select
        label="Valid for"
        data={LIFETIMES}
        value={values.days}
        onChange={(days) => setValues({ ...values, days: days ?? '' })}
        allowDeselect={false}
        error={byField.expiresAt}
      />
    </CreateModal>
  );
}

function IssuedToken({ token, onClose }: { token: string; onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title="Copy the token now"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack gap="sm">
        <Alert color="ochre" icon={<IconAlertTriangle size={18} aria-hidden />}>
          This is the only time that it is shown. Only a hash of it is stored.
        </Alert>
        <CopyBlock text={token} label="Copy the token" />
        <Group justify="flex-end">
          <Button size="sm" onClick={onClose}>
            I have stored it
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
