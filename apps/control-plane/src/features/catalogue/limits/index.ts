export { coversOperation, mostAtOnce } from './capacity.rules.js';
export { type PolicyRow, type RuleFields, readPolicy, toPolicyColumns, upper } from './stored-policy.js';
