// The same with more invalidations and crashes.

import './workers.integration.ts'
