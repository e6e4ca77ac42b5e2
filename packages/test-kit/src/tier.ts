/** Whether this is a run of `pnpm test:nightly`, which tries more cases than `npm test`. */
export const isNightly = (): boolean => process.env.TEST_TIER === 'nightly';
