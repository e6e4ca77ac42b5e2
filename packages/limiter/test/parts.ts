// Parts of the limiter for tests of the decision plane that take its place in a lane or call a script directly.

export { LaneGroup } from '../src/redis/lane.js';
export { amend } from '../src/scripts/amend.js';
export { BatchExpired, decideBatch } from '../src/scripts/decide.js';
