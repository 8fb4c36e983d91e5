// Development in containers, in a folder of another user than the one in the containers: the owner of the folder owns
// written files.

import { describeComposeDev, OTHER_OWNER } from './compose-dev.ts'

describeComposeDev(OTHER_OWNER)
