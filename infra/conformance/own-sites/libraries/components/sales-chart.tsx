// components/sales-chart.tsx
import { Line, LineChart, Tooltip, XAxis, YAxis } from 'recharts'

interface Sale {
  month: string
  pieces: number
}

export function SalesChart({ sales }: { sales: Sale[] }) {
  return (
    <LineChart width={480} height={200} data={sales}>
      <XAxis dataKey="month" />
      <YAxis />
      <Tooltip />
      <Line dataKey="pieces" stroke="#14532d" isAnimationActive={false} />
    </LineChart>
  )
}
