export * from './decision.js';
export * from './headers.js';
export * from './limit-policy.js';
export { summarizeLimit } from './limit-summary.js';
export * from './names.js';
export * from './problems.js';
export * from './snapshot.js';
export * from './usage.js';
