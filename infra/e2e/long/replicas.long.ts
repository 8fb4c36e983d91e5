// The same with a killed replica of actions, and clients that read half of a file.

import '../faults/replicas/gateway.integration.ts'
