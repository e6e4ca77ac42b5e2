/** Shown beside this node in the console. */
export const VERSION = '0.1.0';
