#!/usr/bin/env node
// Starts the store.
import { startProgram } from '@svc/serve/start-program';

await startProgram({ name: 'svc-web', file: import.meta.url, needs: [24, 16] });
