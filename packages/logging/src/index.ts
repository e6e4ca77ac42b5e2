export { LogDestination, standardOutput } from './log-destination.js';
