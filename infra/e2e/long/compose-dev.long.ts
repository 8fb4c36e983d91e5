// Development in containers, in a folder of the user who runs the tests: root, on most machines that test.

import { describeComposeDev } from '../behaviours/dev/compose-dev.ts'

describeComposeDev(process.getuid?.() ?? 0)
