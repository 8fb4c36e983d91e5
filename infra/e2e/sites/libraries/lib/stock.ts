// lib/stock.ts
export interface Stock {
  product: string
  pieces: number
}

export const stockQuery = {
  queryKey: ['stock'],
  queryFn: async (): Promise<Stock[]> => {
    const response = await fetch('/api/stock')
    if (!response.ok) throw new Error(`stock: status ${response.status}`)
    return response.json()
  },
}
