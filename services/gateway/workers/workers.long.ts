// The same with more invalidations, crashes and replacements.

import './workers.integration.ts'
