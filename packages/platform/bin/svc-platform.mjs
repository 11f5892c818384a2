#!/usr/bin/env node
// Starts the platform.
import { startProgram } from '@svc/serve/start-program';

// Before the first use of the pool: files are synced in some of its threads while others inflate and hash.
process.env.UV_THREADPOOL_SIZE ??= '12';

await startProgram({ name: 'svc-platform', file: import.meta.url, needs: [24, 16] });
