import type { ApiHandler } from 'portico'

const handler: ApiHandler<{ stars: number }> = (_request, response) => {
  response.json({ stars: 4 })
}
export default handler
