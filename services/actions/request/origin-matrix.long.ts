// Every combination of origin headers, for every method.

import './origin-matrix.test.ts'
