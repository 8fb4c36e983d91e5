// The procedures over HTTP.

import { createNextApiHandler } from '@trpc/server/adapters/next'
import { notes } from '../../../lib/router'

export default createNextApiHandler({ router: notes, createContext: () => ({}) })
