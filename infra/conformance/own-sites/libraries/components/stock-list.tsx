// components/stock-list.tsx
import { useQuery } from '@tanstack/react-query'
import { stockQuery } from '../lib/stock.ts'

export function StockList() {
  const { data = [], refetch } = useQuery(stockQuery(fetch))
  return (
    <section>
      {data.map(({ product, pieces }) => (
        <p key={product}>
          {product}: {pieces}
        </p>
      ))}
      <button type="button" onClick={() => refetch()}>
        Refresh the stock
      </button>
    </section>
  )
}
