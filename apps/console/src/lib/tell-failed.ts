import { notifications } from '@mantine/notifications';

/** For what has no form that could say it: tells in the corner, under `title`, why something could not be done. */
export function tellFailed(title: string): (error: Error) => void {
  return ({ message }) => void notifications.show({ title, message, color: 'ember', withBorder: true });
}
