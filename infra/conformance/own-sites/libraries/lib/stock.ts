// lib/stock.ts
export interface Stock {
  product: string
  pieces: number
}

type Get = (path: string) => Promise<Response>

/** `get` is the fetch of the browser, or that of portico/server. */
export const stockQuery = (get: Get) => ({
  queryKey: ['stock'],
  queryFn: async (): Promise<Stock[]> => {
    const response = await get('/api/stock')
    if (!response.ok) throw new Error(`stock: status ${response.status}`)
    return response.json()
  },
})
