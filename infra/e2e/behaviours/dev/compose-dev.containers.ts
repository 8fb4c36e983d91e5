// Development in containers, in a folder of another user than the one in the containers: what is written is the owner's.

import { describeComposeDev, OTHER_OWNER } from './compose-dev.ts'

describeComposeDev(OTHER_OWNER)
