// Development in containers: the owner of the folder owns written files, another user than the one in the containers, and
// the one who runs the tests (root, on most machines that test).

import { describeComposeDev, OTHER_OWNER } from '../behaviours/dev/compose-dev.ts'

for (const owner of [OTHER_OWNER, process.getuid?.() ?? 0]) describeComposeDev(owner)
