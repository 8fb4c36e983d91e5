// pages/api/auth/[...all].ts
import { toNodeHandler } from 'better-auth/node'
import { auth } from '../../../lib/auth.ts'

// The handler of the library reads the body itself.
export const config = { api: { bodyParser: false } }

export default toNodeHandler(auth)
