import { Button, TextInput } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import classes from './explain.module.css';

/** Takes what is to be explained. */
export function WhyForm({ text, onAsk }: { text: string; onAsk: (text: string) => void }) {
  const t = useTranslations('explain');
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
          aria-label={t('label')}
          placeholder={t('hint')}
          size="md"
          leftSection={<IconHelpCircle size={18} aria-hidden />}
          value={typed}
          onChange={({ currentTarget: { value } }) => setTyped(value)}
          spellCheck={false}
          autoComplete="off"
          style={{ flex: 1 }}
        />
        <Button type="submit" size="md">
          {t('ask')}
        </Button>
      </form>
    </search>
  );
}
