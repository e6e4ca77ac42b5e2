import { useState } from 'react';
import type { ApiDetail } from '../api/api.js';
import type { ApiFormProps } from './review-props.js';

/** What stands open over a list of an API's parts: the form of a new one, or of one that is there, or its removal. */
export type OpenPart<T> = { kind: 'add' } | { kind: 'edit' | 'delete'; part: T };

/** What a list of an API's parts gets from its page. */
export interface PartsPanelProps extends Pick<ApiFormProps, 'aside' | 'onDone'> {
  api: ApiDetail;
  editable: boolean;
}

/** One form at a time over a list of parts; `form` are the properties that all of them take. */
export function usePartForms<T>({ api, aside, onDone }: PartsPanelProps) {
  const [open, setOpen] = useState<OpenPart<T>>();
  const form = {
    api,
    ...(aside ? { aside } : {}),
    onClose: () => setOpen(undefined),
    onDone: (title: string, changeId: string | null | undefined) => {
      setOpen(undefined);
      onDone(title, changeId);
    },
  };
  return { open, setOpen, form };
}
