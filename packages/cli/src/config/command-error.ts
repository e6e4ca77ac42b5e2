/** The command cannot do what was asked: wrong use, or nobody to talk to. The message is for the user; exit code 2. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
