// The entry of the viewer as one HTML file.
import { startStandalone } from './start-standalone.ts';

startStandalone();
