// pages/index.tsx
import { dehydrate, QueryClient } from '@tanstack/react-query'
import type { GetServerSideProps, PageProps } from 'portico'
import { fetch } from 'portico/server'
import { DeliveryDialog } from '../components/delivery-dialog.tsx'
import { ProductMenu } from '../components/product-menu.tsx'
import { SalesChart } from '../components/sales-chart.tsx'
import { SignUpForm } from '../components/sign-up-form.tsx'
import { StockList } from '../components/stock-list.tsx'
import About from '../content/about.mdx'
import { stockQuery } from '../lib/stock.ts'

export const getServerSideProps = (async () => {
  const client = new QueryClient()
  await client.prefetchQuery(stockQuery(fetch))
  const sales = [
    { month: 'June', pieces: 12 },
    { month: 'July', pieces: 30 },
  ]
  return { props: { queries: dehydrate(client), sales } }
}) satisfies GetServerSideProps

export default function Shop({ sales }: PageProps<typeof getServerSideProps>) {
  return (
    <main className="mx-auto max-w-prose p-4">
      <title>Timber</title>
      <h1 className="text-forest">Timber</h1>
      <ProductMenu />
      <DeliveryDialog />
      <StockList />
      <SalesChart sales={sales} />
      <About />
      <SignUpForm />
    </main>
  )
}
