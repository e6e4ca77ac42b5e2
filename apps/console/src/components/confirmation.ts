import { createSlot } from '../lib/slot.js';

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

/** The open question. */
export const pendingQuestion = createSlot<Question>();

/** Opens a confirmation dialog on the current page. */
export const askToConfirm = (question: Question): void => pendingQuestion.set(question);

export function answer(isConfirmed: boolean): void {
  const question = pendingQuestion.get();
  pendingQuestion.set(undefined);
  if (isConfirmed) question?.onConfirm();
  else question?.onCancel?.();
}
