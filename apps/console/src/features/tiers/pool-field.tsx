import { Button, Group, Select, TextInput } from '@mantine/core';
import { type KeyboardEvent, useRef, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { Problem } from '../../components/page.js';
import { NumberText } from '../../components/typed-field.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { useInputMutation } from '../../lib/mutation.js';
import { parseCount } from '../../lib/rate.js';
import { type ApiChoice, LimitPoolCreateDocument, tiersQuery } from './api.js';
import classes from './tiers.module.css';

interface PoolFieldProps {
  api: ApiChoice;
  /** Of the limit: a new pool is for them. */
  operations: string[];
  value: string;
  onChange: (pool: string) => void;
  id: string;
  error: string | undefined;
  disabled: boolean;
}

/** Selects the pool that an elastic limit borrows from, or creates one in place. */
export function PoolField({ api, operations, value, onChange, ...field }: PoolFieldProps) {
  const [creating, setCreating] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const names = [...new Set([...api.pools.map(({ name }) => name), value].filter(Boolean))];
  const close = () => {
    setCreating(false);
    // After the form is gone; otherwise the focus would be lost with it.
    requestAnimationFrame(() => input.current?.focus());
  };
  return (
    <>
      <Select
        ref={input}
        label="Pool"
        data={names}
        value={value || null}
        onChange={(pool) => pool && onChange(pool)}
        placeholder={names.length === 0 ? 'This API has no pools' : 'Select a pool'}
        {...field}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        description={
          !creating && (
            <GatedButton
              permission="apis:write"
              variant="subtle"
              size="compact-xs"
              ml={-8}
              disabled={field.disabled}
              onClick={() => setCreating(true)}
            >
              Create pool
            </GatedButton>
          )
        }
      />
      {creating && (
        <NewPool
          api={api}
          operations={operations}
          onClose={close}
          onCreated={(name) => {
            onChange(name);
            close();
          }}
        />
      )}
    </>
  );
}

interface NewPoolProps {
  api: ApiChoice;
  operations: string[];
  onClose: () => void;
  onCreated: (name: string) => void;
}

function NewPool({ api, operations, onClose, onCreated }: NewPoolProps) {
  const create = useInputMutation(LimitPoolCreateDocument, ['apis'], tiersQuery.queryKey);
  const [name, setName] = useState('shared');
  const [typed, setTyped] = useState('');
  const [tried, setTried] = useState(false);
  const capacity = parseCount(typed.replace(/\s*(\/|per\s+)\s*s(ec(ond)?)?$/i, ''));
  const { byField, form } = errorsByField(create.error, ['name', 'capacity']);
  const submit = () => {
    setTried(true);
    if (!capacity.ok) return;
    const input = {
      apiKey: api.key,
      expectedVersion: api.version,
      name,
      capacity: capacity.value,
      operations,
    };
    create.mutate(input, { onSuccess: () => onCreated(name) });
  };
  const submitOnEnter = (event: KeyboardEvent) => {
    if (event.key === 'Enter') submit();
    if (event.key === 'Escape') onClose();
  };
  return (
    <fieldset className={classes.newPool}>
      <legend>New pool of {api.name}</legend>
      <TextInput
        label="Pool name"
        description="It cannot be changed later."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={submitOnEnter}
        error={byField.name}
        spellCheck={false}
        autoComplete="off"
      />
      <NumberText
        label="Capacity (units per second)"
        description={`Shared by all tenants for ${operations.join(', ') || 'all operations'}. Takes effect immediately.`}
        placeholder="500"
        autoFocus
        value={typed}
        onChange={setTyped}
        parsed={capacity}
        onKeyDown={submitOnEnter}
        error={tried && !capacity.ok ? 'Enter units per second, such as 500' : byField.capacity}
        inputMode="numeric"
      />
      <Problem>{form}</Problem>
      <Group gap="xs" justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={create.isPending} onClick={submit}>
          Create pool
        </Button>
      </Group>
    </fieldset>
  );
}
