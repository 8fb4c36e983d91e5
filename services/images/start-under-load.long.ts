// The same starts, more than one after the other.

import './start-under-load.integration.ts'
