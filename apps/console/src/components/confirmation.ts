import type { ReactNode } from 'react';

/** A confirmation of an action that cannot be undone. */
export interface Question {
  title: string;
  children: ReactNode;
  labels: { confirm: string; cancel: string };
  color?: string;
  onConfirm: () => void;
  /** Also when the dialog is closed without an answer. */
  onCancel?: () => void;
}

let request: Question | undefined;
const listeners = new Set<() => void>();

function set(question: Question | undefined): void {
  request = question;
  for (const listener of listeners) listener();
}

/** Opens a confirmation dialog on the current page. */
export const askToConfirm = (question: Question): void => set(question);

/** Closes the open confirmation. */
export function answer(isConfirmed: boolean): void {
  const question = request;
  set(undefined);
  if (isConfirmed) question?.onConfirm();
  else question?.onCancel?.();
}

/** For React: the question that waits, and when it changes. */
export const pendingQuestion = {
  get: (): Question | undefined => request,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
