// GET /api/status: what the stack is doing, once. 404 where the operator switched it off.

import { notFound, stackStatus } from 'portico/server'
import { allowMethods, READ } from '../../../lib/site/allow-methods.ts'

export default allowMethods(READ, async (_request, response) => {
  const status = await stackStatus()
  if (!status) notFound()
  response.status(200).json(status)
})
