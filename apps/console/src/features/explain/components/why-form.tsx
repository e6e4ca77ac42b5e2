import { Button, TextInput } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import classes from './explain.module.css';

/** Takes what is to be explained. */
export function WhyForm({ text, onAsk }: { text: string; onAsk: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  return (
    <search>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          onAsk(typed.trim());
        }}
      >
        <TextInput
          aria-label="Request ID, API key or tenant"
          placeholder="Paste a request ID, an API key or a tenant key."
          size="md"
          leftSection={<IconHelpCircle size={18} aria-hidden />}
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
          spellCheck={false}
          autoComplete="off"
          style={{ flex: 1 }}
        />
        <Button type="submit" size="md">
          Explain
        </Button>
      </form>
    </search>
  );
}
