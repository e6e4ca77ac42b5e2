import type { ReactNode } from 'react';

/** What is asked before something is done that cannot be taken back by a click. */
export interface Question {
  title: string;
  children: ReactNode;
  labels: { confirm: string; cancel: string };
  color?: string;
  onConfirm: () => void;
  /** Also when the dialog is closed without an answer. */
  onCancel?: () => void;
}

let asked: Question | undefined;
const listeners = new Set<() => void>();

function set(question: Question | undefined): void {
  asked = question;
  for (const listener of listeners) listener();
}

/** Asks by a dialog over whatever page there is. */
export const askToConfirm = (question: Question): void => set(question);

/** Ends what is asked now. */
export function answer(isConfirmed: boolean): void {
  const question = asked;
  set(undefined);
  if (isConfirmed) question?.onConfirm();
  else question?.onCancel?.();
}

/** For React: the question that waits, and when it changes. */
export const pendingQuestion = {
  get: (): Question | undefined => asked,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
