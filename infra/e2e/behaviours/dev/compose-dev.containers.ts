// Development in containers: the owner of the folder owns written files, another user than the one in the containers, and
// the one who runs the tests (root, on most machines that test).

import { forms } from '@portico/shared/kit/testing/runs.ts'
import { describeComposeDev, OTHER_OWNER } from './compose-dev.ts'

for (const owner of forms(OTHER_OWNER, process.getuid?.() ?? 0)) describeComposeDev(owner)
