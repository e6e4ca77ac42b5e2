export { ViewerModule } from './viewer/viewer.module.js';
