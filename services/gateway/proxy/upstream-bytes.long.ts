// The bytes that an upstream receives, for every method in both versions of HTTP/1.

import './upstream-bytes.test.ts'
