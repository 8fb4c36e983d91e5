// The same properties on more random runs.

import './encoder-responses.test.ts'
