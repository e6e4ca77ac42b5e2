export interface Question {
  title: string;
  text: string;
  /** Label of the button that confirms. */
  confirm: string;
  cancel?: string;
  /** Of the button; by default that of destructive actions. */
  color?: string;
  onConfirm: () => void;
  /** Called also when the dialog is closed. */
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

export function answer(isConfirmed: boolean): void {
  const question = request;
  set(undefined);
  if (isConfirmed) question?.onConfirm();
  else question?.onCancel?.();
}

/** The open question, for `useSyncExternalStore`. */
export const pendingQuestion = {
  get: (): Question | undefined => request,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
