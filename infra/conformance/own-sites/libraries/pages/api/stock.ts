// pages/api/stock.ts
import type { ApiHandler } from 'portico'
import { countRequest } from '../../lib/requests.ts'
import type { Stock } from '../../lib/stock.ts'

const handler: ApiHandler<Stock[]> = (_request, response) => {
  const sold = countRequest()
  response.json([
    { product: 'Oak', pieces: 1000 - sold },
    { product: 'Pine', pieces: 600 },
    { product: 'Birch', pieces: 300 },
  ])
}
export default handler
