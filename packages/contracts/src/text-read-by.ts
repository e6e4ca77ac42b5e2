import * as z from 'zod';

/**
 * A text as `read` understands it.
 * @param read throws an Error that says what the text must be; its message becomes the issue's
 */
export const textReadBy = <T>(read: (text: string) => T) =>
  z.string().transform((text, context): T => {
    try {
      return read(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });
