// Parts of the limiter for tests of the decision plane that take its place in a lane or call a script directly.
export { LaneGroup } from '../src/redis/lane-group.js';
export { sendAmendment } from '../src/scripts/amend.js';
export { BatchExpired, sendBatch } from '../src/scripts/decide.js';
