import { expect } from 'vitest';

/** The link in the latest email to an address, from the mailbox of a running copy. */
export async function linkInMail(context, dev, recipient) {
  const reader = await context.newPage();
  try {
    const mails = reader.getByRole('link', { name: recipient });
    const count = async () => {
      await reader.goto(new URL('/mailbox', dev.consoleUrl).href);
      return mails.count();
    };
    await expect.poll(count).toBeGreaterThan(0);
    await mails.first().click();
    return await reader.getByRole('link', { name: /invitation#/ }).getAttribute('href');
  } finally {
    await reader.close();
  }
}
