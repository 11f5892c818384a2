#!/usr/bin/env node
// Starts `svc`.
import { startProgram } from '@svc/serve/start-program';

await startProgram({ name: 'svc', file: import.meta.url, needs: [24, 5], keepsCode: true });
