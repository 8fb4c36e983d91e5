// components/sales-chart.tsx
import {
  Line,
  LineChart,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'

interface Sale {
  month: string
  pieces: number
}

export function SalesChart({ sales }: { sales: Sale[] }) {
  return (
    <ResponsiveContainer width="100%" height={200}>
      <LineChart data={sales}>
        <XAxis dataKey="month" />
        <YAxis />
        <Tooltip />
        <Line dataKey="pieces" stroke="#14532d" isAnimationActive={false} />
      </LineChart>
    </ResponsiveContainer>
  )
}
