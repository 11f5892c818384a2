// The entry of the viewer as a static site, which also works offline.
import { keepOffline } from './offline/keep-offline.ts';
import { startStandalone } from './start-standalone.ts';

startStandalone();
void keepOffline();
